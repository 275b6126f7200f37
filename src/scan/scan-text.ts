import type { Finding, FindingSubject } from '../model/finding.ts'
import { resultBudget } from './engine/budget.ts'
import { scanValue } from './engine/scan-value.ts'

/** What a text is about: a server, and which of its tools or prompts. */
export interface TextAbout {
  readonly server: string
  readonly name?: string
}

/**
 * Scans a text that a server sent while it was in use: a result, an error, a question, what a resource or prompt says. Only the
 * first 64 kB are
 * examined: such texts are marked, not blocked.
 */
export function scanText(
  kind: Exclude<FindingSubject['kind'], 'server'>,
  text: string,
  about: TextAbout,
): readonly Finding[] {
  const { server, name } = about
  return scanValue({ kind, server, ...(name !== undefined && { name }) }, text.slice(0, resultBudget))
}
