/**
 * What a call of a tool does with information: `untrusted-in` brings in text that strangers wrote, `private-data` brings
 * in what is not public, `way-out` can carry something to others.
 */
export type ToolLabel = 'untrusted-in' | 'private-data' | 'way-out'

export const toolLabels: readonly ToolLabel[] = ['untrusted-in', 'private-data', 'way-out']

/** A person's own labels by `server/tool`, with globs. They replace what the definition suggests; the last match wins. */
export type LabelOverrides = Readonly<Record<string, readonly ToolLabel[]>>

/** What happens when text of strangers and private data have come in and a tool with a way out is called. */
export const trifectaModes = ['off', 'warn', 'ask', 'block'] as const
export type TrifectaMode = (typeof trifectaModes)[number]
