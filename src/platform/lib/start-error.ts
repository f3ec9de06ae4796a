/** Why a command cannot start: printed alone, without a stack. */
export class StartError extends Error {}
