"""Pure-numpy twins of the native kernels: slow, short, and what the kernels are tested against."""
