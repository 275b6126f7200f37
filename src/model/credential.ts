/** The access token of a login that is stored under this id; nothing where there is none (O11). */
export type FindCredential = (credentialId: string) => Promise<string | undefined>
