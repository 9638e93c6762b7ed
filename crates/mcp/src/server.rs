//! The tools, and the calls of them.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::tool::{schema_for_input, schema_for_output},
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool, ToolAnnotations,
    },
    schemars::JsonSchema,
    service::RequestContext,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    answer::{self, Answer, FilesAnswer, PreviewAnswer, SearchAnswer, WhyAnswer},
    hs::{Hs, Output},
    params::{Budget, FilesParams, PreviewParams, SearchParams, WhyParams},
};

const INSTRUCTIONS: &str = "\
Searches one directory. Files that .gitignore leaves out and hidden files are not searched unless \
`ignored` or `hidden` is set; if a file is missing, `why` names the reason. The other tools end \
their answers with what was shown of what there is, and with the `offset` of the next page if there \
is one. Nothing is ever written.";

/// The tools of one directory.
#[derive(Debug)]
pub(crate) struct Server {
    hs: Hs,
    tools: Vec<Tool>,
}

impl Server {
    pub(crate) fn new(hs: Hs) -> Server {
        let tools = vec![
            tool::<SearchParams, SearchAnswer>(
                "search",
                "Find lines that match a pattern. Returns each path once, and below it \
                 `line:text`, or `line-text` for context.",
            ),
            tool::<FilesParams, FilesAnswer>(
                "files",
                "List files, or files with a line that matches a pattern.",
            ),
            tool::<WhyParams, WhyAnswer>(
                "why",
                "Explain for each path which rule or flag leaves it out of a search, or what was \
                 found in it.",
            ),
            tool::<PreviewParams, PreviewAnswer>(
                "replace_preview",
                "Show what replacing each match would change, without writing. Returns each path \
                 once, and below it `line-before` and `line+after`.",
            ),
        ];
        Server { hs, tools }
    }

    async fn call(&self, name: &str, arguments: JsonObject) -> Result<CallToolResult, String> {
        match name {
            "search" => {
                let params: SearchParams = parse(arguments)?;
                let output = self.run(&params.flags(), &params.paths, &params.budget).await?;
                result(answer::search(output, params.page())?)
            }
            "files" => {
                let params: FilesParams = parse(arguments)?;
                let budget = &params.budget;
                let output = self.run(&params.flags(), &params.paths, budget).await?;
                result(answer::files(output, budget.page(), budget.max_results())?)
            }
            "why" => {
                let params: WhyParams = parse(arguments)?;
                let paths = self.hs.below(&params.paths)?;
                let output = self.hs.run(&params.flags(), &paths, params.time()).await?;
                result(answer::why(output)?)
            }
            "replace_preview" => {
                let params: PreviewParams = parse(arguments)?;
                let output = self.run(&params.flags(), &params.paths, &params.budget).await?;
                result(answer::preview(output, params.budget.page())?)
            }
            _ => Err(format!("no tool {name}")),
        }
    }

    /// Runs a search of these paths.
    async fn run(
        &self,
        flags: &[String],
        paths: &[String],
        budget: &Budget,
    ) -> Result<Output, String> {
        self.hs.run(flags, &self.hs.inside(paths)?, budget.time()).await
    }
}

/// A tool with the schemas of what it takes and returns.
fn tool<P, A>(name: &'static str, description: &'static str) -> Tool
where
    P: JsonSchema + 'static,
    A: JsonSchema + 'static,
{
    let input = schema_for_input::<P>().expect("parameters are an object");
    Tool::new(name, description, input)
        .with_raw_output_schema(schema_for_output::<A>())
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// The parameters in a call.
fn parse<P: DeserializeOwned>(arguments: JsonObject) -> Result<P, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn result<A: Serialize>(answer: Answer<A>) -> Result<CallToolResult, String> {
    let values = serde_json::to_value(answer.values).map_err(|error| error.to_string())?;
    let mut result = CallToolResult::structured(values);
    // Half as many tokens as the values in JSON.
    result.content = vec![ContentBlock::text(answer.text)];
    Ok(result)
}

/// A parameter that the tool does not have, which a model has made up.
fn unknown(tool: &Tool, arguments: &JsonObject) -> Option<String> {
    let known = tool.input_schema.get("properties")?.as_object()?;
    let name = arguments.keys().find(|name| !known.contains_key(*name))?;
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    Some(format!("unknown parameter {name}; {} has {}", tool.name, known.join(", ")))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("heist-mcp", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            let message = format!("unknown tool {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let called = match unknown(tool, &arguments) {
            Some(message) => Err(message),
            // A cancelled call ends the run of hs.
            None => match context.ct.run_until_cancelled(self.call(&tool.name, arguments)).await {
                Some(called) => called,
                None => Err("cancelled".to_owned()),
            },
        };
        // A model can mend an error that it reads.
        let failed = |message| CallToolResult::error(vec![ContentBlock::text(message)]);
        Ok(called.unwrap_or_else(failed).into())
    }
}
