/** The severities of findings, the mildest first. Part of the start chunk, which does not load the scanner. */
export const severityNames = ['info', 'low', 'medium', 'high', 'critical'] as const
