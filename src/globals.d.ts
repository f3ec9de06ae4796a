/** Set by build.mjs. */
declare const SVC_VERSION: string
declare const SVC_COMMIT: string
