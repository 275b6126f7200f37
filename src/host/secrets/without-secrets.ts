import type { CachedCatalog } from '../../catalog/server-cache.ts'
import { hashDefinition } from '../../model/definition/canonical-definition.ts'
import { isPlainJson } from '../../model/hidden.ts'
import { isEqual, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { maskTexts } from '../../model/mask-texts.ts'
import type { Mask } from '../../model/mask-texts.ts'
import type { ListName } from '../../connections/link.ts'
import type { ServerList } from '../../connections/server-lists.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { ToolDefinition } from '../../model/tool.ts'

/**
 * Masks known secrets in the texts of a snapshot. Names, and the parts of schemas that arguments are checked against,
 * stay as they are: if they were masked, calls would fail.
 */
export function withoutSecrets(known: CachedCatalog, redactor: Redactor): CachedCatalog {
  if (redactor.isEmpty) return known
  const { tools, isPlain = false, ...others } = known.snapshot
  /** With hidden characters a secret may be split, and is found only in the single texts. */
  const isClear = (json: string, hasNothingHidden: boolean) =>
    !redactor.hasSecretInJson(json) && (hasNothingHidden || isPlainJson(json))
  if (isClear(JSON.stringify(tools), isPlain) && isClear(JSON.stringify(others), false)) return known
  const mask: Mask = (text) => redactor.maskKnown(text)
  const { resources, resourceTemplates, prompts, skills, instructions, conflicts } = others
  const masked = tools.map((tool) => maskTool(tool, mask))
  const hashes = { ...hashesOf(tools, masked), ...known.snapshot.hashes }
  const snapshot = {
    ...known.snapshot,
    tools: masked,
    ...(conflicts && { conflicts: conflicts.map((tool) => maskTool(tool, mask)) }),
    ...(Object.keys(hashes).length > 0 && { hashes }),
    resources: resources.map((each) => maskBut('uri', each, mask)),
    resourceTemplates: resourceTemplates.map((each) => maskBut('uriTemplate', each, mask)),
    prompts: prompts.map((prompt) => maskPrompt(prompt, mask)),
    ...(skills && { skills: skills.map((skill) => maskSkill(skill, mask)) }),
    ...(instructions !== undefined && { instructions: mask(instructions) }),
  }
  return { ...known, snapshot }
}

const masks: Readonly<Record<ListName, (item: JsonObject, mask: Mask) => JsonObject>> = {
  tools: (item, mask) => maskTool(item as ToolDefinition, mask), // read and checked by the connection
  resources: (item, mask) => maskBut('uri', item, mask),
  resourceTemplates: (item, mask) => maskBut('uriTemplate', item, mask),
  prompts: maskPrompt,
  skills: maskSkill,
}

/** The same for one item of a list. */
export function itemWithoutSecrets(name: ListName, item: JsonObject, redactor: Redactor): JsonObject {
  return masks[name](item, (text) => redactor.maskKnown(text))
}

/** The same for one list of a server. */
export function listWithoutSecrets(name: ListName, list: ServerList, redactor: Redactor): ServerList {
  const mask: Mask = (text) => redactor.maskKnown(text)
  return {
    ...list,
    items: list.items.map((item) => (isObject(item) ? masks[name](item, mask) : maskTexts(item, mask))),
    quarantined: list.quarantined.map((each) => ({ ...each, reason: mask(each.reason) })),
  }
}

/** Hashes of the definitions as sent: approvals are bound to them, whichever secrets are masked now. */
function hashesOf(sent: readonly ToolDefinition[], masked: readonly ToolDefinition[]) {
  const others = sent.filter((tool, at) => !isEqual(tool, masked[at]))
  return Object.fromEntries(others.map((tool) => [tool.name, hashDefinition(tool)]))
}

function maskTool(tool: ToolDefinition, mask: Mask): ToolDefinition {
  const masked = mapped(tool, (item, key) => {
    if (key === 'name') return item
    return key === 'inputSchema' || key === 'outputSchema' ? maskSchema(item, mask) : maskTexts(item, mask)
  })
  return masked as ToolDefinition // masking changes only strings
}

function maskPrompt(prompt: JsonObject, mask: Mask): JsonObject {
  return mapped(prompt, (item, key) => {
    if (key === 'name') return item
    if (key !== 'arguments' || !Array.isArray(item)) return maskTexts(item, mask)
    const list = item as readonly Json[] // isArray does not narrow a readonly union
    return list.map((each) => (isObject(each) ? maskBut('name', each, mask) : each))
  })
}

/** Its files are found by their addresses and checked by their digests. */
function maskSkill(skill: JsonObject, mask: Mask): JsonObject {
  return mapped(skill, (item, key) => (key === 'frontmatter' ? maskTexts(item, mask) : item))
}

function maskBut(kept: string, object: JsonObject, mask: Mask): JsonObject {
  return mapped(object, (item, key) => (key === kept ? item : maskTexts(item, mask)))
}

/** Keywords that arguments are checked against. */
const checkedKeywords = new Set(
  'type enum const required dependentRequired pattern format $ref $id $schema $anchor $dynamicRef $dynamicAnchor'.split(
    ' ',
  ),
)
const byName = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
const values = new Set(['default', 'examples', 'example'])

function maskSchema(schema: Json, mask: Mask): Json {
  if (typeof schema === 'string') return mask(schema)
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((each) => maskSchema(each, mask)) // isArray does not narrow a readonly union
  if (!isObject(schema)) return schema
  return mapped(schema, (item, key) => {
    if (checkedKeywords.has(key)) return item
    if (values.has(key)) return maskTexts(item, mask)
    if (!byName.has(key) || !isObject(item)) return maskSchema(item, mask)
    // A list in place of a schema is a list of property names (`dependencies`).
    return mapped(item, (each) => (Array.isArray(each) ? each : maskSchema(each, mask)))
  })
}

function mapped(object: JsonObject, map: (item: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, map(item, key)]))
}
