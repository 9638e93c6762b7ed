//! The protocol's messages, one a line, as clients really send them.
//!
//! The SDK leaves a message that it cannot read unanswered, so that its sender waits. Here, each
//! request with an `id` gets an answer: lone surrogates and bytes that are not UTF-8 are read as
//! U+FFFD, and what cannot be read or is no message is answered with an error. Where a version of
//! the protocol has batches, they are taken apart, and their answers are put together.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ErrorCode, ErrorData, JsonRpcMessage, ProtocolVersion, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::{mpsc, oneshot, watch},
};

use crate::arguments::unwrap;

/// How many bytes a line may have.
const MAX_LINE: usize = 16 << 20;

/// How many lines may wait for a client that does not read.
const MAX_WAITING_LINES: usize = 64;

/// How long runs may go on after the end of input: for a client that has sent all its requests at
/// once, and reads the answers.
const GRACE_AFTER_INPUT: Duration = Duration::from_millis(500);

/// A line to the client, and where to send whether it could be written.
type Written = (Vec<u8>, Option<oneshot::Sender<io::Result<()>>>);

/// A transport that reads lines and writes lines.
pub(crate) struct LineTransport<R> {
    reader: BufReader<R>,
    /// The line that is being read.
    line: Vec<u8>,
    /// Whether the rest of the line is skipped, as it is too long.
    is_too_long: bool,
    has_ended: bool,
    received: VecDeque<RxJsonRpcMessage<RoleServer>>,
    replies: VecDeque<Value>,
    writer: mpsc::Sender<Written>,
    batches: Arc<Mutex<Batches>>,
    /// Set when what is written has no reader.
    gone: watch::Receiver<bool>,
    /// Called some time after the end of input.
    end: Option<Box<dyn FnOnce() + Send>>,
}

/// The batches that have not been answered.
#[derive(Debug, Default)]
struct Batches {
    /// Whether the protocol's version has batches.
    are_known: bool,
    open: Vec<Batch>,
}

#[derive(Debug, Default)]
struct Batch {
    /// The ids of requests that have no answer yet.
    waiting: Vec<Value>,
    answers: Vec<Value>,
}

/// What is read from a message that cannot be read as a whole.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Value,
    method: Option<IgnoredAny>,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Reads from `reader` and writes to `writer`. Some time after the end of input, `end` is
    /// called.
    pub(crate) fn new(
        reader: R,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        end: impl FnOnce() + Send + 'static,
    ) -> LineTransport<R> {
        let (sender, lines) = mpsc::channel(MAX_WAITING_LINES);
        let (gone_sender, gone) = watch::channel(false);
        tokio::spawn(write_all(writer, lines, gone_sender));
        LineTransport {
            reader: BufReader::new(reader),
            line: Vec::new(),
            is_too_long: false,
            has_ended: false,
            received: VecDeque::new(),
            replies: VecDeque::new(),
            writer: sender,
            batches: Arc::default(),
            gone,
            end: Some(Box::new(end)),
        }
    }

    /// Reads on until there is a line; `false` at the end of input. If the future is dropped, the
    /// next call continues with the same line.
    async fn read_line(&mut self) -> bool {
        loop {
            let Ok(bytes) = self.reader.fill_buf().await else { return false };
            if bytes.is_empty() {
                // The last line may lack a line feed.
                return !self.line.is_empty() && !self.is_too_long;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + part.len() > MAX_LINE {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let len = part.len() + usize::from(end.is_some());
            self.reader.consume(len);
            if end.is_none() {
                continue;
            }
            if !std::mem::take(&mut self.is_too_long) {
                return true;
            }
            let message = format!("the message is longer than {MAX_LINE} bytes");
            self.reply(&Value::Null, ErrorCode::INVALID_REQUEST, &message);
            self.line.clear();
            return true;
        }
    }

    /// Takes a line apart into messages and replies.
    fn accept(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let text = without_lone_surrogates(text);
        match serde_json::from_str(&text) {
            Ok(Value::Array(messages)) => self.accept_batch(messages),
            Ok(message) => self.accept_message(message, None),
            Err(error) => self.refuse(&text, &error),
        }
    }

    /// Answers a line that is no JSON, or is nested too deeply.
    fn refuse(&mut self, text: &str, error: &serde_json::Error) {
        let envelope = serde_json::from_str::<Envelope>(text);
        let id = match envelope {
            // An answer from the client, which is not answered.
            Ok(Envelope { method: None, .. }) => return,
            Ok(Envelope { id: Value::Null, .. }) => return,
            Ok(Envelope { id, .. }) => id,
            Err(_) => Value::Null,
        };
        self.reply(&id, ErrorCode::PARSE_ERROR, &format!("the message cannot be read: {error}"));
    }

    fn accept_batch(&mut self, messages: Vec<Value>) {
        if !self.batches.lock().unwrap_or_else(PoisonError::into_inner).are_known {
            let message = "batches are part of version 2025-03-26 of the protocol only";
            return self.reply(&Value::Null, ErrorCode::INVALID_REQUEST, message);
        }
        if messages.is_empty() {
            return self.reply(&Value::Null, ErrorCode::INVALID_REQUEST, "the batch is empty");
        }
        let mut batch = Batch::default();
        for message in messages {
            self.accept_message(message, Some(&mut batch));
        }
        if batch.waiting.is_empty() {
            self.replies.extend((!batch.answers.is_empty()).then(|| batch.answers.into()));
        } else {
            self.batches.lock().unwrap_or_else(PoisonError::into_inner).open.push(batch);
        }
    }

    /// Takes a message, or answers it, as part of `batch` if it belongs to one.
    fn accept_message(&mut self, mut message: Value, batch: Option<&mut Batch>) {
        let refused = match self.checked(&mut message) {
            Ok(Some(message)) => {
                if let (JsonRpcMessage::Request(request), Some(batch)) = (&message, batch) {
                    batch.waiting.push(request.id.clone().into_json_value());
                }
                self.received.push_back(message);
                return;
            }
            Ok(None) => return,
            Err((code, text)) => {
                let id = message.get("id").filter(|id| id.is_string() || id.is_number());
                error(id.unwrap_or(&Value::Null), code, &text)
            }
        };
        match batch {
            Some(batch) => batch.answers.push(refused),
            None => self.replies.push_back(refused),
        }
    }

    /// The message as the SDK has it; `None` if it needs no answer and can be passed over.
    fn checked(
        &mut self,
        message: &mut Value,
    ) -> Result<Option<RxJsonRpcMessage<RoleServer>>, (ErrorCode, String)> {
        let invalid = |text: &str| (ErrorCode::INVALID_REQUEST, text.to_owned());
        let Some(fields) = message.as_object_mut() else {
            return Err(invalid("a message is an object"));
        };
        if fields.get("params").is_some_and(Value::is_null) {
            fields.remove("params");
        }
        let Some(method) = fields.get("method").cloned() else {
            // An answer. If it belongs to no request from this server, it needs no answer either.
            let is_answer = fields.contains_key("result") || fields.contains_key("error");
            let answer = serde_json::from_value(message.clone()).ok();
            return if is_answer { Ok(answer) } else { Err(invalid("there is no method")) };
        };
        let is_request = match fields.get_mut("id") {
            None => false,
            Some(id) => {
                if let Some(whole) = id.as_f64().filter(|id| id.fract() == 0.0)
                    && !id.is_i64()
                    && whole.abs() < 9e15
                {
                    *id = (whole as i64).into();
                }
                if !id.is_string() && !id.is_i64() {
                    return Err(invalid("an id is a string or an integer"));
                }
                true
            }
        };
        if fields.get("jsonrpc") != Some(&json!("2.0")) && is_request {
            return Err(invalid("jsonrpc is not \"2.0\""));
        }
        let arguments = fields.get_mut("params").and_then(|params| params.get_mut("arguments"));
        arguments.into_iter().for_each(unwrap);
        if method == "notifications/cancelled" {
            let id = fields.get("params").and_then(|params| params.get("requestId")).cloned();
            self.cancel(id.as_ref());
        }
        // The SDK takes a call without a tool for a method that it does not know.
        if method == "tools/call" && !message.pointer("/params/name").is_some_and(Value::is_string)
        {
            let wrong = "tools/call: params have no name of a tool".to_owned();
            return Err((ErrorCode::INVALID_PARAMS, wrong));
        }
        match serde_json::from_value(message.clone()) {
            Ok(message) => Ok(Some(message)),
            Err(_) if !is_request => Ok(None),
            Err(_) if !method.is_string() => Err(invalid("a method is a string")),
            Err(error) => Err((ErrorCode::INVALID_PARAMS, format!("{method}: {error}"))),
        }
    }

    /// Removes a cancelled request from its batch, as it gets no answer.
    fn cancel(&mut self, id: Option<&Value>) {
        let Some(id) = id else { return };
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        self.replies.extend(batches.settle(id, None));
    }

    fn reply(&mut self, id: &Value, code: ErrorCode, message: &str) {
        self.replies.push_back(error(id, code, message));
    }
}

impl Batches {
    /// Adds the answer to the request `id` to its batch. Returns the batch if it is complete.
    fn settle(&mut self, id: &Value, answer: Option<Value>) -> Option<Value> {
        let at = self.open.iter().position(|batch| batch.waiting.contains(id))?;
        let batch = &mut self.open[at];
        let waiting = batch.waiting.iter().position(|other| other == id)?;
        batch.waiting.remove(waiting);
        batch.answers.extend(answer);
        if !batch.waiting.is_empty() {
            return None;
        }
        let answers = self.open.remove(at).answers;
        (!answers.is_empty()).then(|| answers.into())
    }

    /// Whether the request `id` belongs to a batch.
    fn has(&self, id: &Value) -> bool {
        self.open.iter().any(|batch| batch.waiting.contains(id))
    }
}

/// The error with which a message is answered.
fn error(id: &Value, code: ErrorCode, message: &str) -> Value {
    let data = ErrorData::new(code, message.to_owned(), None);
    json!({ "jsonrpc": "2.0", "id": id, "error": data })
}

fn line_of(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Writes lines as they come, and sends the results. When they have no reader, `gone` is set.
async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Written>,
    gone: watch::Sender<bool>,
) {
    while let Some((line, written)) = lines.recv().await {
        let result = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let result = result.await;
        if result.is_err() {
            gone.send_replace(true);
        }
        if let Some(written) = written {
            // The sender may have been dropped.
            let _ = written.send(result);
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let writer = self.writer.clone();
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        if let JsonRpcMessage::Response(response) = &item
            && let ServerResult::InitializeResult(result) = &response.result
        {
            batches.are_known = result.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let id = id.map(|id| id.into_json_value()).filter(|id| batches.has(id));
        let line = match (serde_json::to_value(&item), id) {
            (Ok(value), None) => Some(line_of(&value)),
            (Ok(value), Some(id)) => batches.settle(&id, Some(value)).as_ref().map(line_of),
            (Err(error), _) => return write(writer, Err(error.into())),
        };
        drop(batches);
        write(writer, Ok(line))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(reply) = self.replies.front() {
                let line = line_of(reply);
                let permit = self.writer.reserve().await.ok()?;
                permit.send((line, None));
                self.replies.pop_front();
            }
            if let Some(message) = self.received.pop_front() {
                return Some(message);
            }
            let mut gone = self.gone.clone();
            let has_line = !self.has_ended
                && tokio::select! {
                    has_line = self.read_line() => has_line,
                    _ = gone.wait_for(|is_gone| *is_gone) => false,
                };
            if !has_line {
                self.has_ended = true;
                if let Some(end) = self.end.take() {
                    tokio::spawn(async move {
                        tokio::time::sleep(GRACE_AFTER_INPUT).await;
                        end();
                    });
                }
                return None;
            }
            let line = std::mem::take(&mut self.line);
            self.accept(&line);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.has_ended = true;
        Ok(())
    }
}

/// Has a line written, and waits until it is.
async fn write(
    writer: mpsc::Sender<Written>,
    line: Result<Option<Vec<u8>>, io::Error>,
) -> Result<(), io::Error> {
    let Some(line) = line? else { return Ok(()) };
    let (sender, written) = oneshot::channel();
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    writer.send((line, Some(sender))).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
    written.await.map_err(gone)?
}

/// JSON in which each escaped surrogate without its other half is U+FFFD, as in the text of a
/// JavaScript client that was cut within a character.
fn without_lone_surrogates(text: &str) -> std::borrow::Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut mended, mut from, mut at) = (String::new(), 0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += next;
        let Some(unit) = escaped_unit(&bytes[at..]) else {
            // The next byte is escaped, be it a backslash.
            at = bytes.len().min(at + 2);
            continue;
        };
        let is_low = |unit: &u16| (0xdc00..0xe000).contains(unit);
        let follows = || escaped_unit(&bytes[at + 6..]).filter(is_low);
        match unit {
            0xd800..0xdc00 if follows().is_some() => at += 12,
            0xd800..0xe000 => {
                mended.push_str(&text[from..at]);
                mended.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            _ => at += 6,
        }
    }
    if from == 0 {
        return text.into();
    }
    mended.push_str(&text[from..]);
    mended.into()
}

/// The UTF-16 unit that is escaped at the beginning of `text`, as in `\ud83c`.
fn escaped_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83c""#, r#""\ufffd""#),
            (r#""\udf89x\ud83c\ud83c\udf89""#, r#""\ufffdx\ufffd\ud83c\udf89""#),
            (r#""\ud83c\udf89""#, r#""\ud83c\udf89""#),
            (r#""\\ud83c""#, r#""\\ud83c""#),
            (r#""\\\ud83c""#, r#""\\\ufffd""#),
            (r#""\ud83c\\udf89""#, r#""\ufffd\\udf89""#),
            (r#""\uD83C\u0041ü\n""#, r#""\ufffd\u0041ü\n""#),
            (r#""\u12""#, r#""\u12""#),
            ("\\", "\\"),
            ("\\ud8", "\\ud8"),
        ] {
            assert_eq!(without_lone_surrogates(text), expected, "{text}");
        }
    }

    /// The replies to a line, and how many messages are in it.
    fn accepted(line: &str, has_batches: bool) -> (Vec<Value>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let mut lines = LineTransport::new(tokio::io::empty(), tokio::io::sink(), || ());
            lines.batches.lock().expect("a lock").are_known = has_batches;
            lines.accept(line.as_bytes());
            (lines.replies.into(), lines.received.len())
        })
    }

    #[test]
    fn every_request_is_taken_or_answered() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for (line, id, code) in [
            ("{", Value::Null, -32700),
            ("nonsense", Value::Null, -32700),
            (&deep, json!(9), -32700),
            ("7", Value::Null, -32600),
            ("[]", Value::Null, -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
            (r#"{"id":"a","method":"ping"}"#, json!("a"), -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
            (r#"{"jsonrpc":"2.0","id":3,"method":7}"#, json!(3), -32600),
            (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, json!(4), -32602),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}"#,
                json!(3),
                -32602,
            ),
        ] {
            let (replies, received) = accepted(line, false);
            let head = line.get(..60).unwrap_or(line);
            assert_eq!((replies.len(), received), (1, 0), "{head}");
            assert_eq!(
                (&replies[0]["id"], &replies[0]["error"]["code"]),
                (&id, &json!(code)),
                "{head}"
            );
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":"{\"pattern\":\"\ud83c\"}"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
        ] {
            let (replies, received) = accepted(line, false);
            assert_eq!((replies, received), (vec![], 1), "{line}");
        }
        // Neither a notification nor an answer is answered.
        for line in [
            "",
            r#"{"jsonrpc":"2.0","method":"notifications/other","params":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":7}"#,
            &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}"#, "[".repeat(200)),
        ] {
            let (replies, _) = accepted(line, false);
            let is_unreadable = line.ends_with('[');
            assert_eq!(replies.len(), usize::from(is_unreadable), "{line}");
        }
    }

    #[test]
    fn batches_are_taken_apart() {
        let ping = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let line = format!(
            "[{},{},7,{}]",
            ping(1),
            ping(2),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        );
        assert_eq!(accepted(&line, true), (vec![], 3));
        let (replies, received) = accepted("[7, {}]", true);
        assert_eq!((replies[0].as_array().map(Vec::len), received), (Some(2), 0));
        let (replies, _) = accepted("[]", true);
        assert_eq!(replies[0]["error"]["code"], -32600);

        let mut batches = Batches::default();
        batches.open.push(Batch { waiting: vec![json!(1), json!("a")], answers: vec![] });
        assert_eq!(batches.settle(&json!(2), Some(json!(0))), None);
        assert_eq!(batches.settle(&json!("a"), Some(json!("first"))), None);
        assert_eq!(batches.settle(&json!(1), Some(json!("last"))), Some(json!(["first", "last"])));
        batches.open.push(Batch { waiting: vec![json!(1)], answers: vec![] });
        assert_eq!(batches.settle(&json!(1), None), None);
        assert!(batches.open.is_empty());
    }
}
