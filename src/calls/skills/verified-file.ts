import { HostError } from '../../model/error.ts'
import { isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Mask } from '../../model/mask-texts.ts'
import { maskTexts } from '../../model/mask-texts.ts'
import { isPlainUri } from '../../model/skills/read-skill-entries.ts'
import { filesOf } from '../../model/skills/offered-skills.ts'
import { skillLimits, skillRoot } from '../../model/skills/skill.ts'
import type { SkillEntry, SkillFile } from '../../model/skills/skill.ts'
import { differingFields, readSkillText } from './front-matter.ts'

/** A file of a skill to be read. Without `listed` its skill is dynamic: its size and digest are unknown. */
export interface SkillTarget {
  readonly uri: string
  readonly path: string
  readonly isManifest: boolean
  readonly listed?: SkillFile
}

/** A file whose content is what the entry of its skill lists. */
export interface VerifiedFile {
  readonly bytes: number
  readonly mimeType?: string
  /** Absent for bytes that are not UTF-8. Known secrets are masked. */
  readonly text?: string
  /** Base64; absent if there is a text. */
  readonly blob?: string
  /** Of SKILL.md: what follows its front matter. */
  readonly body?: string
}

type Unverified = 'unlisted' | 'content' | 'size' | 'digest' | 'frontmatter'

/** Whose file it is, for errors. */
interface FileOwner {
  readonly server: string
  readonly entry: SkillEntry
}

/**
 * Finds a file by its path in the skill or by its address; without one, SKILL.md. Only a file that the entry lists is found;
 * of a dynamic skill, any address in its folder.
 */
export function findSkillFile(owner: FileOwner, file: string | undefined): SkillTarget {
  const { entry } = owner
  const files = filesOf(entry)
  const wanted = (file ?? entry.uri).replace(/#.*$/s, '').replace(/^(?:\.\/)+/, '')
  if (files !== 'dynamic') {
    const listed =
      files.find(({ uri }) => uri === wanted) ??
      files.find(({ path, uri }) => path === wanted || encodedPath(entry, uri) === wanted)
    if (!listed) throw unverified(owner, wanted, 'unlisted', 'is not among the files of the skill')
    return { uri: listed.uri, path: listed.path, isManifest: listed.uri === entry.uri, listed }
  }
  const prefix = `${skillRoot(entry.uri)}/`
  const uri = wanted.startsWith(prefix)
    ? wanted
    : prefix + wanted.split('/').map(encodeURIComponent).join('/')
  if (!isPlainUri(uri))
    throw unverified(owner, wanted, 'unlisted', 'is not a file in the folder of the skill')
  return { uri, path: uri.slice(prefix.length), isManifest: uri === entry.uri }
}

function encodedPath({ uri: skill }: SkillEntry, uri: string): string {
  return uri.slice(skillRoot(skill).length + 1)
}

/** Checks an answer of `resources/read`: size, then digest, then, of SKILL.md, its front matter field by field. */
export function verifyFile(answer: Json, target: SkillTarget, owner: FileOwner, mask: Mask): VerifiedFile {
  const { uri, listed, isManifest } = target
  const refuse = (why: Unverified, message: string) => unverified(owner, target.path, why, message)
  const item = onlyContent(answer, uri)
  const bytes = item && bytesOf(item)
  if (!item || !bytes) throw refuse('content', 'was not answered with exactly its content')
  if (bytes.length > skillLimits.bytes)
    throw refuse('size', `has ${bytes.length} bytes, more than a skill may have`)
  if (listed && bytes.length !== listed.size)
    throw refuse('size', `has ${bytes.length} bytes, and ${listed.size} are listed`)
  if (listed && digestOf(bytes) !== listed.digest)
    throw refuse('digest', 'does not have the digest that is listed')
  const { mimeType } = item
  const facts = { bytes: bytes.length, ...(typeof mimeType === 'string' && { mimeType }) }
  const text = decodeUtf8(bytes)
  if (isManifest) return { ...facts, ...checkManifest(text, owner, mask, refuse) }
  return text === undefined ? { ...facts, blob: bytes.toString('base64') } : { ...facts, text: mask(text) }
}

/** Secrets are masked in the entry, so they are masked in the text before both are compared. */
function checkManifest(
  text: string | undefined,
  { entry }: FileOwner,
  mask: Mask,
  refuse: (why: Unverified, message: string) => HostError,
): Pick<VerifiedFile, 'text' | 'body'> {
  const read = text === undefined ? undefined : readSkillText(text)
  if (text === undefined || !read) throw refuse('frontmatter', 'has no front matter that can be read')
  const masked = maskTexts(read.frontmatter, mask) as JsonObject // masking changes only strings
  const fields = differingFields(entry.frontmatter, masked)
  if (fields.length > 0)
    throw refuse('frontmatter', `has another front matter than is listed (${fields.slice(0, 5).join(', ')})`)
  return { text: mask(text), body: mask(read.body) }
}

function onlyContent(answer: Json, uri: string): JsonObject | undefined {
  const contents = isObject(answer) ? answer['contents'] : undefined
  if (!isList(contents) || contents.length !== 1) return undefined
  const [item] = contents
  if (!isObject(item)) return undefined
  return item['uri'] === undefined || item['uri'] === uri ? item : undefined
}

function bytesOf({ text, blob }: JsonObject): Buffer | undefined {
  if (typeof text === 'string') return Buffer.from(text, 'utf8')
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined
}

function digestOf(bytes: Buffer): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return `sha256:${hash('sha256', bytes)}`
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function unverified(
  { server, entry }: FileOwner,
  file: string,
  reason: Unverified,
  message: string,
): HostError<'skill.unverified'> {
  const name = JSON.stringify(entry.frontmatter.name)
  const text = `The file ${JSON.stringify(file.slice(0, 200))} of the skill ${name} of "${server}" ${message}. It is not used.`
  return new HostError('skill.unverified', { server, uri: entry.uri, file, reason }, text)
}
