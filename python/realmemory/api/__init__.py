"""realMemory as a service: MCP over stdio, and a daemon on the loopback interface."""
