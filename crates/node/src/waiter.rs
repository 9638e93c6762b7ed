//! Waits in a thread of its own. The threads of Node's pool are few, and files of the program that
//! reads the hits are read by them: a search must not occupy one while it waits.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use napi::{
    Env, Error, Result,
    bindgen_prelude::{Object, ToNapiValue},
};

/// A promise of what `work` returns, which may block.
pub(crate) fn promise<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Object<'_>> {
    let (deferred, promise) = env.create_deferred()?;
    let wait = move || match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => deferred.resolve(move |_| Ok(value)),
        Err(payload) => deferred.reject(Error::from_reason(panic_text(&*payload))),
    };
    let started = thread::Builder::new().name("heist-wait".to_owned()).spawn(wait);
    started.map_err(|error| Error::from_reason(format!("no thread can be started: {error}")))?;
    Ok(promise)
}

/// The message of a panic.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    format!("the search has panicked: {}", text.unwrap_or_default())
}
