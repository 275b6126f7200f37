import type { JsonObject, Skill, View } from '../../index.ts'

/** The skills that an address offers. */
export interface GatewaySkills {
  /** The entries as they are listed, as JSON. */
  readonly text: string
  /** The skill whose SKILL.md has this address here. */
  find(uri: string): ServedSkill | undefined
  /** The skill that a file or folder belongs to. */
  owner(uri: string): ServedSkill | undefined
}

/** A skill with the address that its folder has here and at its server. */
export interface ServedSkill {
  readonly skill: Skill
  readonly entry: JsonObject
  readonly root: string
  readonly ownRoot: string
}

/**
 * Skills keep the addresses of their servers, as resources do. Where several servers use one address, each of these skills
 * gets one that begins with its server: none of them is left out, and none stands for another.
 */
export function gatewaySkills({ skills }: Pick<View, 'skills'>): GatewaySkills {
  const offered = skills()
  const counts = new Map<string, number>()
  for (const { uri } of offered) counts.set(uri, (counts.get(uri) ?? 0) + 1)
  const served = offered.map((skill) => toServed(skill, (counts.get(skill.uri) ?? 0) > 1))
  const byRoot = new Map(served.map((each) => [each.root, each]))
  return {
    text: JSON.stringify(served.map(({ entry }) => entry)),
    find: (uri) => (uri.endsWith('/SKILL.md') ? byRoot.get(folderOf(uri)) : undefined),
    owner(uri) {
      for (let folder = uri; folder.includes('/'); folder = folderOf(folder)) {
        const found = byRoot.get(folder)
        if (found) return found
      }
      return undefined
    },
  }
}

function toServed(skill: Skill, isShared: boolean): ServedSkill {
  const { server, uri, files, frontmatter } = skill
  const ownRoot = folderOf(uri)
  const root = isShared
    ? `skill://${encodeURIComponent(server)}/${ownRoot.replace(/^[^:]*:\/*/, '')}`
    : ownRoot
  const toHere = (own: string) => root + own.slice(ownRoot.length)
  const resources =
    files === 'dynamic'
      ? files
      : files.map(({ uri: own, digest, size }) => ({ uri: toHere(own), digest, size }))
  return { skill, root, ownRoot, entry: { uri: toHere(uri), frontmatter, resources } }
}

/** The address of a file or folder at its server. */
export function toOwnUri({ root, ownRoot }: ServedSkill, uri: string): string {
  return ownRoot + uri.slice(root.length)
}

/** The addresses in an answer as they are here. */
export function toServedUris(
  { root, ownRoot }: ServedSkill,
  key: 'contents' | 'resources',
  answer: JsonObject,
): JsonObject {
  const list = answer[key]
  if (root === ownRoot || !Array.isArray(list)) return answer
  const items = list as readonly JsonObject[] // anything else has no `uri`
  return {
    ...answer,
    [key]: items.map((item) => {
      const uri = typeof item === 'object' && item !== null ? item['uri'] : undefined
      const isBelow = typeof uri === 'string' && uri.startsWith(`${ownRoot}/`)
      return isBelow ? { ...item, uri: root + uri.slice(ownRoot.length) } : item
    }),
  }
}

/** Of the scheme that is for skills alone. */
export function isSkillUri(uri: string): boolean {
  return /^skill:/i.test(uri)
}

function folderOf(uri: string): string {
  return uri.slice(0, Math.max(0, uri.lastIndexOf('/')))
}
