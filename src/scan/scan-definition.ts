import type { Finding, FindingSubject } from '../model/finding.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { scanValue } from './engine/scan-value.ts'
import type { ScanOptions } from './engine/scan-value.ts'

/** What a server lists. */
export type DefinitionKind = 'tool' | 'prompt' | 'resource' | 'template' | 'skill'

/** Scans one tool, prompt, resource, resource template or skill as its server defines it. */
export function scanDefinition(
  kind: DefinitionKind,
  definition: JsonObject,
  server: string,
  options?: ScanOptions,
): readonly Finding[] {
  return scanValue(toSubject(kind, definition, server), textsOf(kind, definition), options)
}

/** Of a skill only its front matter is text for a model; its list of files is addresses and digests. */
export function textsOf(kind: DefinitionKind, definition: JsonObject): JsonObject {
  const { frontmatter } = definition
  return kind === 'skill' && isObject(frontmatter) ? frontmatter : definition
}

export function toSubject(kind: DefinitionKind, definition: JsonObject, server: string): FindingSubject {
  const { name, uri, uriTemplate } = definition
  const own = kind === 'resource' || kind === 'skill' ? uri : kind === 'template' ? uriTemplate : name
  const shown = typeof own === 'string' ? own : name
  return { kind, server, ...(typeof shown === 'string' && { name: shown }) }
}
