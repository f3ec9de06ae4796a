/** Why a command cannot start, in words for whoever started it: printed alone, without a stack. */
export class StartError extends Error {}
