import type { JsonObject } from '../json.ts'
import { isObject } from '../json.ts'

/** The extension by which a server offers skills (SEP-2640). */
export const skillsExtension = 'io.modelcontextprotocol/skills'

/** What every host has to support of one skill; a larger one is refused by its entry, before anything is read. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 } as const

/** One file of a skill, as the entry of the skill lists it. */
export interface SkillFile {
  readonly uri: string
  /** Relative to the folder of SKILL.md, such as `references/FORMS.md`. */
  readonly path: string
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  readonly size: number
}

/** A skill that a server offers. It is identified by its server and `uri`; its name is a label that others may have too. */
export interface Skill {
  /** `server/name`, or `server/uri` if the server has several skills of this name. */
  readonly ref: string
  readonly server: string
  readonly name: string
  readonly description: string
  /** As its server lists it, unchecked but for the name and the description. */
  readonly frontmatter: JsonObject
  /** The address of its SKILL.md. */
  readonly uri: string
  /** `dynamic`: the server does not say which files there are, so their content cannot be verified or remembered as approved. */
  readonly files: readonly SkillFile[] | 'dynamic'
  /** The size of all files; 0 for a dynamic one. */
  readonly bytes: number
  /** Covers the front matter and the set of files with their digests: another content is another hash. */
  readonly hash: string
}

/** A checked entry as a snapshot keeps it: `uri`, `frontmatter`, and `resources` in the order of their addresses. */
export interface SkillEntry extends JsonObject {
  readonly uri: string
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string }
  readonly resources: readonly SkillResource[] | 'dynamic'
}

export interface SkillResource extends JsonObject {
  readonly uri: string
  readonly digest: string
  readonly size: number
}

/** What a server declares about its skills; undefined if it has none. */
export function skillsCapabilityOf(
  capabilities: JsonObject,
): { readonly hasDirectories: boolean } | undefined {
  const { extensions } = capabilities
  const declared = isObject(extensions) ? extensions[skillsExtension] : undefined
  if (!isObject(declared)) return undefined
  return { hasDirectories: declared['directoryRead'] === true }
}

/** The folder of a SKILL.md, without a slash at its end. */
export function skillRoot(uri: string): string {
  return uri.slice(0, uri.lastIndexOf('/'))
}
