/** Signals that a command cannot start. The command prints the message without a stack trace. */
export class StartError extends Error {}
