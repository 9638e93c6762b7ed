//! Has the linker leave the functions of Node-API to the Node that loads the module.

fn main() {
    napi_build::setup();
}
