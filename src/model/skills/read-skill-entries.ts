import { isEqual, isList, isObject } from '../json.ts'
import type { Json } from '../json.ts'
import { skillLimits, skillRoot } from './skill.ts'
import type { SkillEntry, SkillResource } from './skill.ts'

/** An entry that is left out, and why. */
export interface SkillProblem {
  /** The address of the entry, or its position in the list. */
  readonly skill: string
  readonly reason: string
}

/** Reads the entries of `skills/list`. A bad one costs only itself; of entries with the same address that differ, none is taken. */
export function readSkillEntries(items: readonly Json[]): {
  readonly skills: readonly SkillEntry[]
  readonly problems: readonly SkillProblem[]
} {
  const byUri = new Map<string, SkillEntry>()
  const ambiguous = new Set<string>()
  const problems: SkillProblem[] = []
  for (const [at, item] of items.entries()) {
    const read = readSkillEntry(item)
    if (typeof read === 'string') {
      problems.push({ skill: labelOf(item, at), reason: read })
      continue
    }
    const first = byUri.get(read.uri)
    if (!first) byUri.set(read.uri, read)
    else if (!isEqual(first, read)) ambiguous.add(read.uri)
  }
  for (const uri of ambiguous) {
    byUri.delete(uri)
    problems.push({ skill: uri, reason: 'it is listed more than once, with different content' })
  }
  return { skills: [...byUri.values()], problems }
}

function labelOf(item: Json, at: number): string {
  const uri = isObject(item) ? item['uri'] : undefined
  return typeof uri === 'string' && uri !== '' ? uri.slice(0, 200) : `#${at + 1}`
}

const maxUriLength = 2048
const maxNameLength = 64
const maxDescriptionLength = 1024
/** The rule of Agent Skills: it leaves out control characters, look-alikes and separators of every kind. */
const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const digestForm = /^sha256:[0-9a-f]{64}$/

/** The entry with its files in the order of their addresses, or what is wrong with it. */
export function readSkillEntry(item: Json | undefined): SkillEntry | string {
  if (!isObject(item)) return 'it is not an object'
  const { uri, frontmatter, resources } = item
  if (typeof uri !== 'string') return 'it has no "uri"'
  if (!isPlainUri(uri)) return 'its "uri" is not a plain address'
  if (!uri.endsWith('/SKILL.md')) return 'its "uri" does not end in /SKILL.md'
  if (!isObject(frontmatter)) return 'it has no "frontmatter"'
  const { name, description } = frontmatter
  if (typeof name !== 'string' || name.length > maxNameLength || !nameForm.test(name))
    return 'its name is not made of at most 64 lower-case letters, digits and single hyphens'
  const root = skillRoot(uri)
  if (root.slice(root.lastIndexOf('/') + 1) !== name) return 'its name is not the folder of its SKILL.md'
  if (typeof description !== 'string' || description.trim() === '') return 'it has no description'
  if (countCharacters(description) > maxDescriptionLength)
    return `its description is longer than ${maxDescriptionLength} characters`
  const checked = frontmatter as SkillEntry['frontmatter'] // its name and description are texts
  if (resources === 'dynamic') return { uri, frontmatter: checked, resources }
  const files = readFiles(uri, resources)
  return typeof files === 'string' ? files : { uri, frontmatter: checked, resources: files }
}

function readFiles(skill: string, resources: Json | undefined): readonly SkillResource[] | string {
  if (!isList(resources)) return 'its "resources" are neither a list nor "dynamic"'
  const { files: maxFiles, bytes: maxBytes } = skillLimits
  if (resources.length > maxFiles) return `it has ${resources.length} files; the limit is ${maxFiles}`
  const prefix = `${skillRoot(skill)}/`
  const byUri = new Map<string, SkillResource>()
  let bytes = 0
  for (const each of resources) {
    const file = toFile(each)
    if (!file) return 'a file of it has no valid "uri", "digest" and "size"'
    if (!file.uri.startsWith(prefix)) return 'a file of it is outside of its folder'
    if (byUri.has(file.uri)) return 'a file of it is listed more than once'
    byUri.set(file.uri, file)
    bytes += file.size
  }
  if (bytes > maxBytes) return `its files have ${bytes} bytes; the limit is ${maxBytes}`
  if (!byUri.has(skill)) return 'its SKILL.md is not among its files'
  return [...byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

function toFile(value: Json): SkillResource | undefined {
  if (!isObject(value)) return undefined
  const { uri, digest, size } = value
  if (typeof uri !== 'string' || !isPlainUri(uri)) return undefined
  if (typeof digest !== 'string' || !digestForm.test(digest)) return undefined
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined
  return { uri, digest, size }
}

/**
 * An address without a query, a fragment, blanks, control characters or segments that lead elsewhere, however they are
 * encoded. It is only compared with others and sent to its server; its authority is never looked up.
 */
export function isPlainUri(uri: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (uri.length > maxUriLength || /[\s\\?#\u0000-\u001f\u007f-\u009f]/.test(uri)) return false
  const [, rest] = /^[a-z][a-z0-9+.-]*:\/*(.+)$/i.exec(uri) ?? []
  return rest !== undefined && rest.split('/').every(isPlainSegment)
}

function isPlainSegment(segment: string): boolean {
  const decoded = decode(segment)
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return decoded !== undefined && !/^\.{0,2}$|[\\/\u0000-\u001f\u007f-\u009f]/.test(decoded)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function countCharacters(text: string): number {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
  return text.length - pairs
}
