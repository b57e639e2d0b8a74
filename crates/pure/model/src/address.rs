//! Where a source is. The type cannot leak a secret: what is shown has the user and password taken out.
