import { HostError } from '../../model/error.ts'
import { toPointer } from '../../model/json.ts'
import { startsGateway } from '../../model/launch/starts-gateway.ts'
import type { Server } from '../../model/server.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { Path } from '../../sources/formats/doc.ts'
import { openFiles } from '../../sources/open-files.ts'
import { namedOnly, placesOf } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import type { OpenFile, Source } from '../../sources/source.ts'
import { knownSource } from '../discover-options.ts'
import { notEditableError, ownRoles } from '../edit/edit-target.ts'
import type { Workbench } from '../edit/workbench.ts'

/** An entry that can be moved. */
export interface UserEntry {
  readonly server: Server
  readonly path: Path
}

/** An entry that stays in the client's file, and why. */
export interface StayingEntry {
  readonly name: string
  readonly file: string
  readonly reason: string
}

/** A file that the client itself writes, and that belongs to the user. */
export interface UserFile {
  readonly file: OpenFile
  readonly entries: readonly UserEntry[]
}

/** Why an entry of the gateway itself stays. */
export const startsPlugboard = 'It starts Plugboard itself.'

export interface UserFiles {
  readonly source: Source
  readonly files: readonly UserFile[]
  readonly stays: readonly StayingEntry[]
}

export function adoptable(client: string): SourceId {
  const id = knownSource(client)
  if (id !== 'plugboard' && !namedOnly.has(id)) return id
  throw new HostError('usage', {}, `"${client}" is not a client that can be adopted.`, {
    hint: 'See: plugboard sources --all',
  })
}

/** The user's files of a client with their entries. Files of projects, plugins and administrators are not among them. */
export async function readUserFiles(id: SourceId, { world, platform }: Workbench): Promise<UserFiles> {
  const source = await loadSource(id)
  const { writing } = source
  if (!writing) throw notEditableError({ source, place: { path: source.title } })
  const own = placesOf(id, world).filter(({ authority }) => authority === 'user')
  const opened = await openFiles(own, platform.files)
  const { servers, diagnostics } = source.read(opened.files, world)
  const stays: StayingEntry[] = []
  const files = opened.files.filter(
    ({ authority, role, scope }) => authority === 'user' && scope === 'user' && ownRoles.includes(role),
  )
  const found = files.map((file): UserFile => {
    const leave = (name: string, reason: string) => stays.push({ name, file: file.path, reason })
    const [error] = file.doc.errors
    if (error) {
      leave('*', `The file has an error in line ${error.line}: ${error.message}`)
      return { file, entries: [] }
    }
    const entries = writing(file, world).entries.flatMap(({ name, path }) => {
      const pointer = toPointer(path)
      const server = servers.find(({ origin }) => origin.file === file.path && origin.pointer === pointer)
      const reason = server
        ? (reasonToStay(server, path) ?? unreadSwitch(server, source))
        : refusalAt(pointer)
      if (server && reason === undefined) return [{ server, path }]
      leave(name, reason ?? 'It is not in force here.')
      return []
    })
    return { file, entries }

    function refusalAt(pointer: string): string | undefined {
      const problem = diagnostics.find(
        ({ severity, origin }) =>
          severity === 'error' && origin?.file === file.path && isWithin(origin.pointer, pointer),
      )
      return problem?.message
    }
  })
  return { source, files: found, stays }
}

function isWithin(inner: string | undefined, outer: string): boolean {
  return inner === outer || (inner?.startsWith(`${outer}/`) ?? false)
}

function reasonToStay(server: Server, path: Path): string | undefined {
  const { enabled, declared, agent, origin } = server
  if (startsGateway(server)) return startsPlugboard
  if (path.length === 0) return 'The file contains only this server.'
  if (!enabled) return 'It is switched off.'
  if (declared.length > 1) return 'It is joined from several files.'
  if (agent !== undefined) return `It belongs to the agent ${agent}.`
  return origin.scope === 'user' ? undefined : `It belongs to the scope "${origin.scope}".`
}

/** A switch that the client does not read: moving the server would decide what the person meant with it. */
function unreadSwitch({ extra }: Server, { title }: Source): string | undefined {
  const off = extra['disabled'] === true ? '"disabled": true' : '"enabled": false'
  if (extra['disabled'] !== true && extra['enabled'] !== false) return undefined
  return `It says ${off}, which ${title} is not known to read. Remove the key to move it.`
}
