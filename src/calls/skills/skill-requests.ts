import type { RequestOptions } from '../../connections/send-with-retries.ts'
import { HostError, isHostError } from '../../model/error.ts'
import { isEqual, isList, isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { isPlainUri, readSkillEntry } from '../../model/skills/read-skill-entries.ts'
import { skillRoot, skillsCapabilityOf } from '../../model/skills/skill.ts'
import type { SkillEntry } from '../../model/skills/skill.ts'
import type { ViewContext } from '../view/view-context.ts'
import { findSkillFile, verifyFile } from './verified-file.ts'
import type { SkillTarget, VerifiedFile } from './verified-file.ts'

/** A skill as it is read: its server, and the entry that its files are checked against. */
export interface ReadSkill {
  readonly server: string
  readonly entry: SkillEntry
}

type Context = Pick<ViewContext, 'connectionOf' | 'redactor'>

/** Reads one file of a skill and verifies it. If it is not what is listed, the error says what the server lists now. */
export async function readSkillFile(
  context: Context,
  skill: ReadSkill,
  file: string | undefined,
  options: RequestOptions,
): Promise<{ readonly target: SkillTarget; readonly content: VerifiedFile }> {
  const target = findSkillFile(skill, file)
  const connection = await context.connectionOf(skill.server)
  const answer = await connection.request('resources/read', { uri: target.uri }, options)
  const mask = (text: string) => context.redactor.maskKnown(text)
  return { target, content: verifyFile(answer, target, skill, mask) }
}

/** The entry of a skill as its server gives it now, listed or not; undefined if there is none, or none that can be used. */
export async function getSkillEntry(
  context: Context,
  { server, uri }: { readonly server: string; readonly uri: string },
  options: RequestOptions,
): Promise<SkillEntry | undefined> {
  const connection = await context.connectionOf(server)
  try {
    const answer = await connection.request('skills/get', { uri }, options)
    const entry = readSkillEntry(isObject(answer) ? answer['skill'] : undefined)
    return typeof entry === 'string' || entry.uri !== uri ? undefined : entry
  } catch (error) {
    // A server that is broken says nothing about the skill.
    if (isHostError(error, 'request.refused') && error.data.error.code !== internalError) return undefined
    throw error
  }
}

const internalError = -32603

/**
 * After a file was not what is listed: asks the server for the entry again. Whatever it answers, the list is read again too,
 * so that views and acceptances judge what the server offers now.
 */
export async function renewSkill(
  context: Context & Pick<ViewContext, 'listServer'>,
  { server, entry }: ReadSkill,
  options: RequestOptions,
): Promise<'same' | 'changed' | 'gone' | 'unasked'> {
  const current = await getSkillEntry(context, { server, uri: entry.uri }, options).catch(
    () => 'unasked' as const,
  )
  const connection = await context.connectionOf(server)
  await connection.list('skills', { ...options, fresh: true })
  await context.listServer(server, options)
  if (!current) return 'gone'
  if (current === 'unasked') return current
  return isEqual(current, entry) ? 'same' : 'changed'
}

/** One thing in a folder of a skill. */
export interface SkillFolderItem {
  readonly uri: string
  readonly name: string
  readonly isFolder: boolean
  readonly mimeType?: string
  readonly size?: number
}

const maxItems = 10_000
const maxPages = 200

/** What a folder of a skill contains, where its server has directories. It never adds files to a skill. */
export async function readSkillFolder(
  context: Context,
  { server, entry }: ReadSkill,
  folder: string,
  options: RequestOptions,
): Promise<readonly SkillFolderItem[]> {
  const connection = await context.connectionOf(server)
  const { capabilities } = await connection.connect(options)
  if (!skillsCapabilityOf(capabilities)?.hasDirectories)
    throw new HostError('usage', {}, `"${server}" does not list the folders of its skills.`)
  const root = skillRoot(entry.uri)
  const path = folder.replace(/^\.?\/*|\/+$/g, '')
  const uri = path === '' ? root : `${root}/${path.split('/').map(encodeURIComponent).join('/')}`
  if (!isPlainUri(uri)) throw new HostError('resource.unknown', { uri }, 'That is no folder of the skill.')
  const items: SkillFolderItem[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && items.length < maxItems; page++) {
    const params = cursor === undefined ? { uri } : { uri, cursor }
    const answer = await connection.request('resources/directory/read', params, options)
    const { resources, nextCursor } = isObject(answer) ? answer : {}
    items.push(...(isList(resources) ? resources : []).filter(isObject).flatMap((each) => toItem(each, uri)))
    if (typeof nextCursor !== 'string' || nextCursor === cursor) break
    cursor = nextCursor
  }
  return items.slice(0, maxItems)
}

/** Only direct children are taken: a folder must not lead out of itself. */
function toItem({ uri, mimeType, size }: JsonObject, folder: string): readonly SkillFolderItem[] {
  if (typeof uri !== 'string' || !isPlainUri(uri) || !uri.startsWith(`${folder}/`)) return []
  const name = uri.slice(folder.length + 1)
  if (name.includes('/')) return []
  const isFolder = mimeType === 'inode/directory'
  return [
    {
      uri,
      name: decodeURIComponent(name),
      isFolder,
      ...(typeof mimeType === 'string' && !isFolder && { mimeType }),
      ...(typeof size === 'number' && { size }),
    },
  ]
}
