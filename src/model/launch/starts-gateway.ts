import type { Server } from '../server.ts'
import { inlineCode, launchedPrograms, startedFiles } from './launched-programs.ts'
import { startedPackage } from './started-package.ts'

const verb = 'gateway'
/** Our script in a package or a folder of the sources, whatever the folder is called. */
const ownScript =
  /(?:^|[\\/])plugboard(?:\.[cm]?js)?$|[\\/]plugboard[\\/]dist[\\/]cli[\\/](?:plugboard|program)\.cjs$/i
const ownProgram = /^plugboard(?:\.[cm]?js)?$/
const inText =
  /(?:^|[\s\\/"';&|(])plugboard(?:@[\w.-]+)?(?:\.[cm]?js)?["']?\s(?:.*\s)?gateway(?:$|[\s"';&|)])/s

/**
 * Whether an entry starts this program as a gateway: as a command, as a package, as a script of Node, or in the text of a
 * shell. A gateway that loaded such an entry would start itself without end.
 */
export function startsGateway(server: Pick<Server, 'transport'>): boolean {
  const { transport } = server
  if (transport.kind !== 'stdio') return false
  const { args } = transport
  if (!args.some((arg) => arg.includes(verb))) return false
  const text = inlineCode(server)
  if (text) return inText.test(text.code)
  const hasVerb = (rest: readonly string[]) => rest.includes(verb)
  for (const { name, args: own } of launchedPrograms(server)) {
    if (ownProgram.test(name)) return hasVerb(own)
    if (name === 'npm' && /^(?:exec|x)$/.test(own[0] ?? ''))
      return own.some((arg, at) => isOwnPackage(arg) && hasVerb(own.slice(at + 1)))
  }
  const started = startedPackage(server)
  if (started) return started.name === 'plugboard' && hasVerb(args.slice(started.index + 1))
  return startedFiles(server).some(
    (file) => ownScript.test(file) && hasVerb(args.slice(args.indexOf(file) + 1)),
  )
}

function isOwnPackage(arg: string): boolean {
  return /^(?:--package=|-p=)?plugboard(?:@.+)?$/.test(arg)
}
