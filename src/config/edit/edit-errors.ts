import { HostError } from '../../model/error.ts'
import { nearest } from '../../model/near.ts'
import type { FilePlace, Source } from '../../sources/source.ts'

interface Edited {
  readonly source: Pick<Source, 'title'>
  readonly place: Pick<FilePlace, 'path'>
}

export function alreadyThere(server: string, { path: file }: FilePlace): HostError {
  return new HostError('config.exists', { server, file }, `Server "${server}" already exists in ${file}`)
}

export function notThere(server: string, names: readonly string[], { path }: FilePlace): HostError {
  const near = nearest(server, names)
  const hint = near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}
  return new HostError('server.unknown', { server, near }, `There is no server "${server}" in ${path}.`, hint)
}

export function wholeFile(server: string, { path: file }: FilePlace): HostError {
  return new HostError('config.unwritable', { file }, `${file} is the server "${server}" and nothing else.`, {
    hint: 'Delete the file.',
  })
}

export function noSwitch({ source, place: { path: file } }: Edited): HostError {
  const message = `${source.title} has no way to switch a server on or off in ${file}.`
  return new HostError('config.unwritable', { file }, message)
}

export function notEdited({ source, place: { path: file } }: Edited): HostError {
  return new HostError('config.unwritable', { file }, `Servers of ${source.title} are not edited one by one.`)
}
