// The HTTP door.
