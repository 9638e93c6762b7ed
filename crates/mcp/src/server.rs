//! The tools, and how they are called.

use std::{path::PathBuf, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool, ToolAnnotations,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::{sync::watch, time::timeout};

use crate::{
    answer::{self, Answer, ToolCall},
    arguments::Arguments,
    changes::{self, Preview, Previews},
    file_list::FileList,
    hs::{Access, Hs, Output},
    messages::{self, Message},
    params::{self, FILES, PREVIEW, Page, REPLACE, SEARCH, ToolSpec, UNDO, WHY, WRITING_TIME},
    places::{AllowedDirs, FoundPaths, from_uri},
};

const INSTRUCTIONS: &str = "\
Searches directories. Files that .gitignore leaves out and hidden files are not searched unless \
`ignored` or `hidden` is set; if a file is missing, `why` names the reason. The other tools end \
their answers with what was shown of what there is, and with the `offset` of the next page if there \
is one. replace_preview shows a patch.";

/// What the instructions end with, without and with `--allow-write`.
const WRITES: [&str; 2] = [
    " Nothing is ever written.",
    " replace writes the patch that was shown, undo puts it back; nothing else is ever written.",
];

/// How long calls wait for the client's roots.
const ROOTS_TIME: Duration = Duration::from_secs(5);

/// What may be searched, or why nothing may.
type Known = Option<Result<Arc<AllowedDirs>, String>>;

/// The tools.
#[derive(Debug)]
pub(crate) struct Server {
    hs: Hs,
    tools: Vec<Tool>,
    /// `None` until the client has named its roots.
    places: watch::Sender<Known>,
    /// Whether the client's roots are searched.
    has_roots: bool,
    /// What may be written; `None` without `--allow-write`.
    previews: Option<Previews>,
}

impl Server {
    /// Serves `places`, or the client's roots, or the current directory if it has none.
    pub(crate) fn new(hs: Hs, places: Option<AllowedDirs>, may_write: bool) -> Server {
        let specs = [&SEARCH, &FILES, &WHY].into_iter().zip(answer::schemas());
        let mut tools: Vec<Tool> = specs.map(|(spec, returned)| tool(spec, returned)).collect();
        tools.push(tool(&PREVIEW, changes::preview_schema()));
        if may_write {
            tools.extend([&REPLACE, &UNDO].map(writing_tool));
        }
        let previews = may_write.then(Previews::default);
        let has_roots = places.is_none();
        let places = watch::Sender::new(places.map(|places| Ok(Arc::new(places))));
        Server { hs, tools, places, has_roots, previews }
    }

    /// Requests the client's roots.
    // The newest protocol version has no roots, others do.
    #[expect(deprecated)]
    async fn learn_roots(&self, peer: &Peer<RoleServer>) {
        if self.has_roots && has_roots(peer) {
            let listed = timeout(ROOTS_TIME, peer.list_roots()).await;
            let places = match listed {
                Ok(Ok(result)) => of_roots(result.roots.iter().map(|root| root.uri.as_str())),
                Ok(Err(error)) => Err(format!("the roots of the client: {error}")),
                Err(_) => here(),
            };
            self.places.send_replace(Some(places.map(Arc::new)));
        }
    }

    /// What may be searched.
    async fn places(&self, peer: &Peer<RoleServer>) -> Result<Arc<AllowedDirs>, String> {
        let mut known = self.places.subscribe();
        if self.has_roots && !has_roots(peer) {
            return here().map(Arc::new);
        }
        let known = timeout(ROOTS_TIME, known.wait_for(Option::is_some)).await;
        match known {
            Ok(Ok(known)) => known.clone().unwrap_or_else(|| here().map(Arc::new)),
            _ => here().map(Arc::new),
        }
    }

    async fn call(
        &self,
        tool: &Tool,
        arguments: JsonObject,
        peer: &Peer<RoleServer>,
    ) -> Result<Answer, String> {
        let specs = [&SEARCH, &FILES, &WHY, &PREVIEW, &REPLACE, &UNDO];
        let Some(spec) = specs.into_iter().find(|spec| spec.name == tool.name) else {
            return Err(format!("no tool {}", tool.name));
        };
        let arguments = Arguments::read(spec.name, spec.params(), arguments)?;
        let places = self.places(peer).await?;
        match spec.name {
            "search" => self.search(&places, &arguments).await,
            "files" => self.files(&places, &arguments).await,
            "why" => self.why(&places, &arguments).await,
            "replace" => self.replace(&arguments).await,
            "undo" => self.undo(&arguments).await,
            _ => self.preview(&places, &arguments).await,
        }
    }

    async fn search(&self, places: &AllowedDirs, arguments: &Arguments) -> Result<Answer, String> {
        let flags = params::search_flags(arguments);
        let (output, run) = self.run(places, arguments, &flags).await?;
        answer::search(output, &run, arguments.is_on("whole_lines"))
    }

    async fn files(&self, places: &AllowedDirs, arguments: &Arguments) -> Result<Answer, String> {
        if arguments.is_on("counts") && !arguments.has("pattern") {
            return Err("counts: there is no pattern whose lines could be counted".to_owned());
        }
        let flags = params::files_flags(arguments);
        let (output, run) = self.run(places, arguments, &flags).await?;
        let has_counts = arguments.is_on("counts");
        let mut list = match arguments.has("pattern") {
            true => FileList::of_paths(output, has_counts, run.page.offset)?,
            false => FileList::of_messages(output)?,
        };
        // A list of files that match has no messages, and so no account.
        if list.files.is_empty() && run.page.offset == 0 && arguments.has("pattern") {
            let flags = params::account_flags(arguments);
            let (output, _) = self.run(places, arguments, &flags).await?;
            let messages = messages::parse(&output.stdout)?;
            list.skipped = messages.into_iter().find_map(|message| match message {
                Message::Skipped(skipped) => Some(skipped),
                _ => None,
            });
        }
        Ok(answer::files(list, &run, has_counts))
    }

    async fn why(&self, places: &AllowedDirs, arguments: &Arguments) -> Result<Answer, String> {
        let flags = params::why_flags(arguments);
        let mut outputs = Vec::new();
        for (dir, paths) in places.below(arguments.list("paths"))? {
            let time = Page::of(arguments).time();
            outputs.push((dir, self.hs.run(Access::Read, dir, &flags, &paths, time).await?));
        }
        answer::why(places, outputs)
    }

    async fn preview(&self, places: &AllowedDirs, arguments: &Arguments) -> Result<Answer, String> {
        let flags = params::replace_flags(arguments);
        let shown = [&flags[..], &["--dry-run".to_owned()]].concat();
        let (output, run) = self.run(places, arguments, &shown).await?;
        let (answer, hash) = changes::preview(output, &run, self.previews.is_some())?;
        if let (Some(previews), Some(hash)) = (&self.previews, hash) {
            let dir = places.first().to_owned();
            previews.keep(Preview { hash, dir, flags, paths: run.paths, number: None });
        }
        Ok(answer)
    }

    async fn replace(&self, arguments: &Arguments) -> Result<Answer, String> {
        let previews = self.previews.as_ref().ok_or(NO_WRITING)?;
        let hash = arguments.text("patch").unwrap_or_default();
        let Preview { dir, mut flags, paths, .. } = previews.unwritten(hash)?;
        flags.push(format!("--if-patch={hash}"));
        let output = self.hs.run(Access::Write, &dir, &flags, &paths, WRITING_TIME).await?;
        let (answer, number) = changes::done(&output, "replaced")?;
        if let Some(number) = number {
            previews.note(hash, number);
        }
        Ok(answer)
    }

    async fn undo(&self, arguments: &Arguments) -> Result<Answer, String> {
        let previews = self.previews.as_ref().ok_or(NO_WRITING)?;
        let hash = arguments.text("patch").unwrap_or_default();
        let (Preview { dir, .. }, number) = previews.written(hash)?;
        let flags = [format!("--undo={number}")];
        let output = self.hs.run(Access::Write, &dir, &flags, &[], WRITING_TIME).await?;
        let (answer, _) = changes::done(&output, "put back")?;
        previews.forget(hash, number);
        Ok(answer)
    }

    /// Searches the paths that a call names.
    async fn run<'a>(
        &self,
        places: &'a AllowedDirs,
        arguments: &Arguments,
        flags: &[String],
    ) -> Result<(Output, ToolCall<'a>), String> {
        let FoundPaths { paths, missing } = places.inside(arguments.list("paths"))?;
        let page = Page::of(arguments);
        let output = self.hs.run(Access::Read, places.first(), flags, &paths, page.time()).await?;
        Ok((output, ToolCall { places, page, paths, missing, if_none: if_none(arguments) }))
    }
}

/// Why nothing is written.
const NO_WRITING: &str = "heist-mcp was started without --allow-write";

/// Why no file may have been searched.
fn if_none(arguments: &Arguments) -> String {
    let whole = if arguments.has("paths") { "`paths`" } else { "the directory" };
    let mut selecting: Vec<String> =
        params::selecting(arguments).iter().map(|name| format!("`{name}`")).collect();
    let mut text = format!("No files were searched: no file in {whole} ");
    match selecting.pop() {
        None => text += "is left by the ignore rules (see `ignored`, `hidden`)",
        Some(last) if selecting.is_empty() => text += &format!("passes {last}"),
        Some(last) => text += &format!("passes {} and {last}", selecting.join(", ")),
    }
    if arguments.has("only") {
        text += ". Globs with a slash are relative to the searched directory or to `paths`";
    }
    text
}

/// Whether the client has roots.
fn has_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

/// The current directory.
fn here() -> Result<AllowedDirs, String> {
    AllowedDirs::new(&[PathBuf::from(".")])
}

/// The roots of a client that are directories.
fn of_roots<'a>(uris: impl Iterator<Item = &'a str>) -> Result<AllowedDirs, String> {
    let dirs: Vec<PathBuf> = uris.filter_map(from_uri).filter(|dir| dir.is_dir()).collect();
    let none = "no root of the client is a directory, and heist-mcp was started without one";
    AllowedDirs::new(&dirs).map_err(|_| none.to_owned())
}

/// A tool with the schemas for what it takes and returns.
fn tool(spec: &ToolSpec, returned: JsonObject) -> Tool {
    Tool::new(spec.name, spec.text, spec.schema())
        .with_raw_output_schema(Arc::new(returned))
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// A tool that writes files.
fn writing_tool(spec: &ToolSpec) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(false);
    tool(spec, changes::done_schema()).with_annotations(annotations)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("heist-mcp", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!(
                "{INSTRUCTIONS}{}",
                WRITES[usize::from(self.previews.is_some())]
            ))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.learn_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.learn_roots(&context.peer).await;
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
        // A cancelled call ends its run of hs.
        let call = self.call(tool, arguments, &context.peer);
        let called = match context.ct.run_until_cancelled(call).await {
            Some(called) => called,
            None => Err("cancelled".to_owned()),
        };
        let result = match called {
            Ok(Answer { text, values }) => {
                let mut result = CallToolResult::structured(values);
                result.content = vec![ContentBlock::text(text)];
                result
            }
            // A model can mend an error that it reads.
            Err(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
        };
        Ok(result.into())
    }
}
