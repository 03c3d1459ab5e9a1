//! Sets the linker's options for a module that Node loads.

fn main() {
    napi_build::setup();
}
