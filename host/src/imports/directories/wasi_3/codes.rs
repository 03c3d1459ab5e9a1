//! Converts errors and kinds of files from WASI 0.2's form to that of WASI 0.3.

use wasmtime_wasi::p2::FsError;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, ErrorCode};
use wasmtime_wasi::p3::bindings::filesystem::types::{DescriptorType as Type3, ErrorCode as Code3};
use wasmtime_wasi::p3::filesystem::FilesystemError;

/// The same error. A trap stays one.
pub(super) fn error(error: FsError) -> FilesystemError {
    match error.downcast() {
        Ok(error) => code(error).into(),
        Err(trap) => FilesystemError::trap(trap),
    }
}

pub(super) fn code(code: ErrorCode) -> Code3 {
    macro_rules! same {
        ($($name:ident)*) => {
            match code {
                $(ErrorCode::$name => Code3::$name,)*
                ErrorCode::WouldBlock => Code3::Other(None),
            }
        };
    }
    same! {
        Access Already BadDescriptor Busy Deadlock Quota Exist FileTooLarge IllegalByteSequence
        InProgress Interrupted Invalid Io IsDirectory Loop TooManyLinks MessageSize NameTooLong
        NoDevice NoEntry NoLock InsufficientMemory InsufficientSpace NotDirectory NotEmpty
        NotRecoverable Unsupported NoTty NoSuchDevice Overflow NotPermitted Pipe ReadOnly
        InvalidSeek TextFileBusy CrossDevice
    }
}

pub(super) fn kind(kind: DescriptorType) -> Type3 {
    match kind {
        DescriptorType::Unknown => Type3::Other(None),
        DescriptorType::BlockDevice => Type3::BlockDevice,
        DescriptorType::CharacterDevice => Type3::CharacterDevice,
        DescriptorType::Directory => Type3::Directory,
        DescriptorType::Fifo => Type3::Fifo,
        DescriptorType::SymbolicLink => Type3::SymbolicLink,
        DescriptorType::RegularFile => Type3::RegularFile,
        DescriptorType::Socket => Type3::Socket,
    }
}
