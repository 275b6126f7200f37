/** The ids that code, tests and docs use. */
export const idPattern: RegExp

/** The sentence of each id. */
export function readRequirements(root: string): Readonly<Record<string, string>>
