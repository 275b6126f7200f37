import type { JsonObject } from '../../../model/json.ts'
import type { DocumentCheck } from '../document-check.ts'
import type { Path } from '../../formats/doc.ts'
import { readArguments } from './server-json-inputs.ts'
import { textIn } from './server-json-keys.ts'

/** The registries that runners use by themselves, by host. */
const publicHosts: Readonly<Record<string, readonly string[]>> = {
  npm: ['registry.npmjs.org'],
  pypi: ['pypi.org'],
  nuget: ['api.nuget.org', 'nuget.org', 'www.nuget.org'],
  oci: ['docker.io', 'index.docker.io', 'registry-1.docker.io'],
}

/** T61: the runner would fetch the package of that name from the public registry, which may be anyone's. */
export function checkRegistry(entry: JsonObject, path: Path, check: DocumentCheck): void {
  const address = textIn(entry, 'registryBaseUrl')
  const type = textIn(entry, 'registryType')
  if (address === '' || type === 'mcpb') return
  const host = URL.canParse(address) ? new URL(address).host : ''
  const isNamed = type === 'oci' && host !== '' && textIn(entry, 'identifier').startsWith(`${host}/`)
  if (isNamed || publicHosts[type]?.includes(host)) return
  const message = `The package is in the registry ${address}, and its runner would fetch it from the public one.`
  check.fail('not-launchable', message, [...path, 'registryBaseUrl'])
}

const hostFlag =
  /^--(?:privileged|cap-add|device|security-opt|volumes-from)(?:=|$)|^--(?:pid|ipc|uts|userns|net|network)=host$/
const mountFlag = /^(?:-v|--volume|--mount)(?:=|$)|^-v[/.~]/
const hostSharing = /^--(?:pid|ipc|uts|userns|net|network)$/

/** T61: reports the flags that take a container out of its confinement. */
export function checkContainer(entry: JsonObject, path: Path, check: DocumentCheck): void {
  const runner = textIn(entry, 'runtimeHint') || (textIn(entry, 'registryType') === 'oci' ? 'docker' : '')
  if (runner !== 'docker' && runner !== 'podman') return
  const { words } = readArguments(entry['runtimeArguments'])
  const found = words.flatMap((word, index) => {
    const next = words[index + 1] ?? ''
    const isAlone = !word.includes('=') && !/^-v./.test(word) && word !== '--privileged'
    const shown = isAlone ? `${word} ${next}` : word
    if (hostSharing.test(word)) return next === 'host' ? [shown] : []
    return hostFlag.test(word) || (mountFlag.test(word) && isOfHost(isAlone ? next : word)) ? [shown] : []
  })
  if (found.length === 0) return
  const message = `The container gets access to this machine: ${found.join(', ')}.`
  check.report('host-access', 'warn', message, [...path, 'runtimeArguments'])
}

/** Whether a mount is a folder of this machine, not a named volume. */
function isOfHost(mount: string): boolean {
  const source = mount.replace(/^(?:-v|--volume|--mount)=?/, '')
  return /^[/.~{$\\]|^[A-Za-z]:[\\/]|\btype=bind\b/.test(source)
}

export function checkAddress(url: string, path: Path, check: DocumentCheck): void {
  if (/^(?:https?:\/\/|\{)/i.test(url)) return
  check.fail('invalid-url', 'The url must start with http:// or https://.', [...path, 'url'])
}
