import { isHostError } from '../../index.ts'
import type { Host, Json, JsonObject } from '../../index.ts'
import { isObject, isPlainUri, loadSkillCheck } from '../../internal.ts'
import { invalidParams } from '../../serving.ts'
import type { ServedSkill } from './gateway-skills.ts'
import { toOwnUri, toServedUris } from './gateway-skills.ts'
import type { GatewayView } from './gateway-view.ts'
import type { ServedRequest } from './served-request.ts'

/** What passing a request of a skill on takes of `ForwardRequests`. */
export interface SkillForward {
  readonly host: Host
  /** Sends a request to a server on behalf of a client, and returns the answer in the era of the client. */
  readonly send: (server: string, method: string, params: JsonObject) => Promise<JsonObject>
}

/**
 * `skills/get`: the server is asked, so that a client that met a mismatch learns of a change. Another entry than the visible one is
 * listed and judged first; what is held then is not given.
 */
export async function getSkill(
  { params, client }: ServedRequest,
  view: GatewayView,
  { host, send }: SkillForward,
): Promise<JsonObject> {
  const uri = uriOf(params)
  await view.ready()
  const found = view.skills().find(uri)
  if (!found) throw unknownSkill()
  const { server, uri: own } = found.skill
  const answer = await send(server, 'skills/get', { uri: own })
  if (!isSameEntry(answer['skill'], found)) {
    await host.list(server, 'skills', { fresh: true })
    await host.ready({ servers: [server], from: 'servers' })
  }
  const current = view.skills(true).find(uri)
  if (!current) throw unknownSkill()
  const fresh = client.era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
  return { ...fresh, skill: current.entry }
}

/** `resources/directory/read`, of folders of visible skills. */
export async function readFolder(
  { params }: ServedRequest,
  view: GatewayView,
  { send }: SkillForward,
): Promise<JsonObject> {
  const uri = uriOf(params)
  const { cursor } = params
  await view.ready()
  const found = isPlainUri(uri) ? view.skills().owner(uri) : undefined
  if (!found) throw invalidParams('Unknown folder')
  const own = { uri: toOwnUri(found, uri), ...(typeof cursor === 'string' && { cursor }) }
  return toServedUris(found, 'resources', await send(found.skill.server, 'resources/directory/read', own))
}

/**
 * Sends a request for a file of a skill, and checks the answer as every reader of skills does: a file that is not listed is not
 * asked for, and one that is not what is listed is not passed on. Then the list is read again, so that what is offered now is judged.
 *
 * @returns `undefined` if the skill has no such file.
 */
export async function readSkillFile(
  { skill }: ServedSkill,
  own: string,
  host: Host,
  send: () => Promise<JsonObject>,
): Promise<JsonObject | undefined> {
  const { server, uri, frontmatter, files } = skill
  const { findSkillFile, verifyFile } = await loadSkillCheck()
  const resources =
    files === 'dynamic'
      ? files
      : files.map((file) => ({ uri: file.uri, digest: file.digest, size: file.size }))
  const { name, description } = skill
  const owner = { server, entry: { uri, frontmatter: { ...frontmatter, name, description }, resources } }
  try {
    const target = findSkillFile(owner, own)
    if (target.uri !== own) return undefined
    const answer = await send()
    // Questions to the client are no content.
    if ((answer['resultType'] ?? 'complete') === 'complete') verifyFile(answer, target, owner, (text) => text)
    return answer
  } catch (error) {
    if (!isHostError(error, 'skill.unverified')) throw error
    if (error.data.reason === 'unlisted') return undefined
    await host.list(server, 'skills', { fresh: true }).catch(() => undefined)
    throw error
  }
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw invalidParams('The request names no address.')
  return uri
}

function unknownSkill() {
  return invalidParams('Unknown skill')
}

function isSameEntry(answer: Json | undefined, { skill }: ServedSkill): boolean {
  if (!isObject(answer) || answer['uri'] !== skill.uri) return false
  const { resources } = answer
  if (skill.files === 'dynamic') return resources === 'dynamic'
  if (!Array.isArray(resources) || resources.length !== skill.files.length) return false
  const digests = new Map<Json | undefined, string>(skill.files.map(({ uri, digest }) => [uri, digest]))
  const listed = resources as readonly JsonObject[] // anything else has no `uri`
  return listed.every((each) => isObject(each) && digests.get(each['uri']) === each['digest'])
}
