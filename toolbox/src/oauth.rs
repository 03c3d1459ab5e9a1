//! Signs a person in at a service by OAuth's device flow (RFC 8628), and renews access tokens.

mod device_sign_in;
mod error;
mod http;
mod sign_in;

pub use device_sign_in::DeviceSignIn;
pub use error::SignInError;
pub use sign_in::SignIn;
