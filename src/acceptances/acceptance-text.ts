import { isList, isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { severities } from '../model/finding.ts'
import type { Finding } from '../model/finding.ts'
import type { Acceptance, AcceptedHow, AcceptedOffer, RejectedOffer, ScanRecord } from './acceptance.ts'

/** The text of an acceptance file. Names are values, not keys: a server may call a tool `__proto__`. */
export function toAcceptanceText(
  {
    instructions,
    tools,
    prompts,
    templates,
    apps,
    skills,
    resources,
    resourceScan,
    rejected,
    scans,
  }: Acceptance,
  owner: { readonly account: string },
): string {
  const named = (list: ReadonlyMap<string, AcceptedOffer>) =>
    [...list].map(([name, offer]) => ({ name, ...offer }))
  const value = {
    version: 1,
    account: owner.account,
    ...(instructions && { instructions }),
    tools: named(tools),
    prompts: named(prompts),
    templates: named(templates),
    ...(apps.size > 0 && { apps: named(apps) }),
    ...(skills.size > 0 && { skills: named(skills) }),
    ...(resources.size > 0 && { resources: named(resources) }),
    ...(resourceScan && { resourceScan }),
    rejected,
    scans: [...scans].map(([hash, record]) => ({ hash, ...record })),
  }
  return `${JSON.stringify(value)}\n`
}

/** Reads an acceptance file; undefined if any of it is not as we write it. */
export function parseAcceptance(text: string, owner: { readonly account: string }): Acceptance | undefined {
  const value = parse(text)
  if (!isObject(value) || value['version'] !== 1 || value['account'] !== owner.account) return undefined
  const { instructions } = value
  const accepted = instructions === undefined ? undefined : toOffer(instructions)
  const tools = toNamed(value['tools'])
  const prompts = toNamed(value['prompts'])
  const templates = toNamed(value['templates'])
  const apps = toNamed(value['apps'] ?? [])
  // Absent in files that were written before skills were known.
  const skills = toNamed(value['skills'] ?? [])
  const resources = toNamed(value['resources'] ?? [])
  const [resourceScan] = toScans([value['resourceScan'] ?? null])
  const rejected = toListOf(value['rejected'], isRejected)
  const isKnown = instructions === undefined || accepted !== undefined
  if (!isKnown || !tools || !prompts || !templates || !apps || !skills || !resources || !rejected)
    return undefined
  return {
    ...(accepted && { instructions: accepted }),
    tools,
    prompts,
    templates,
    apps,
    skills,
    resources,
    ...(resourceScan && { resourceScan: { hash: resourceScan[0], ...resourceScan[1] } }),
    rejected,
    scans: toScans(value['scans']),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const hows: readonly AcceptedHow[] = ['first-sight', 'added', 'person', 'carried']

function toOffer(value: Json): AcceptedOffer | undefined {
  if (!isObject(value)) return undefined
  const { hash, definition, at } = value
  const how = hows.find((each) => each === value['how'])
  if (typeof hash !== 'string' || typeof at !== 'string' || how === undefined) return undefined
  if (typeof definition !== 'string' && !isObject(definition)) return undefined
  return { hash, definition, at, how }
}

function toNamed(list: Json | undefined): ReadonlyMap<string, AcceptedOffer> | undefined {
  if (!isList(list)) return undefined
  const named = new Map<string, AcceptedOffer>()
  for (const each of list) {
    const offer = toOffer(each)
    const name = isObject(each) ? each['name'] : undefined
    if (!offer || typeof name !== 'string') return undefined
    named.set(name, offer)
  }
  return named
}

const kinds: readonly Json[] = ['tool', 'prompt', 'template', 'app', 'skill', 'resource', 'instructions']

function isRejected(value: Json): value is JsonObject & RejectedOffer {
  if (!isObject(value) || !kinds.includes(value['kind'] ?? null)) return false
  return [value['name'], value['hash'], value['at']].every((each) => typeof each === 'string')
}

function toListOf<T extends Json>(
  list: Json | undefined,
  is: (value: Json) => value is T,
): readonly T[] | undefined {
  return isList(list) && list.every(is) ? list : undefined
}

/** Records that cannot be read are left out: their definitions are scanned again. */
function toScans(list: Json | undefined): ReadonlyMap<string, ScanRecord> {
  const records = (isList(list) ? list : []).flatMap((each): readonly (readonly [string, ScanRecord])[] => {
    if (!isObject(each)) return []
    const { hash, rules, findings } = each
    if (typeof hash !== 'string' || typeof rules !== 'string' || !isList(findings)) return []
    if (!findings.every(isFinding)) return []
    return [[hash, { rules, findings: findings as unknown as readonly Finding[] }]] // every item was checked
  })
  return new Map(records)
}

function isFinding(value: Json): boolean {
  if (!isObject(value) || !isObject(value['subject'])) return false
  const { rule, pointer, message, remedy, severity } = value
  return (
    [rule, pointer, message, remedy].every((each) => typeof each === 'string') &&
    severities.some((each) => each === severity)
  )
}
