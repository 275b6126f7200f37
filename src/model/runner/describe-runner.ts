import type { ContainerRunner, Runner } from './runner.ts'
import type { Server } from '../server.ts'

export interface RunnerLine {
  readonly text: string
  /** It opens more than a person may expect. */
  readonly isWarning: boolean
}

/** What a box opens, and what its runner cannot limit, for a person who decides. */
export function describeRunner({
  runner,
  runnerNotes = [],
}: Pick<Server, 'runner' | 'runnerNotes'>): readonly RunnerLine[] {
  if (!runner) return []
  const notes = runnerNotes.map(plain)
  if (runner.kind === 'template') return [...templateLines(runner), ...notes]
  const { read, write, network } = runner
  return [
    plain(
      runner.kind === 'bwrap'
        ? 'It runs in a box (bwrap): the system read-only, an empty home and an empty /tmp that are not kept.'
        : `It runs in a container (${runner.kind}, image ${runner.image}), read-only but for an empty /tmp that is not kept.`,
    ),
    read.length + write.length === 0
      ? plain('It sees none of your folders.')
      : plain(`It reads of your folders: ${[...read, ...write].join(', ')}`),
    ...(write.length > 0 ? [plain(`It writes to: ${write.join(', ')}`)] : []),
    ...[...read, ...write]
      .filter(isWhole)
      .map((each) => warning(`Look closely: ${each} is your whole home folder`)),
    ...[...read, ...write].filter(hasKeys).map((each) => warning(`Look closely: keys are kept in ${each}`)),
    ...write
      .filter(isProject)
      .map((each) =>
        warning(
          `Look closely: in ${each} it can change what runs outside later, such as scripts and Git hooks`,
        ),
      ),
    network
      ? warning(
          runner.kind === 'bwrap'
            ? 'It has the network, and with it the services on this machine (loopback, abstract sockets): bwrap cannot part them.'
            : `It has the network of ${runner.kind}: other machines, and what this machine offers to them.`,
        )
      : plain('It has no network.'),
    ...unlimitedLines(runner),
    ...notes,
  ]
}

function templateLines({ name, template }: Runner & { kind: 'template' }): readonly RunnerLine[] {
  if (!template && name === 'project')
    return [warning('Your rule for servers of projects cannot be read: it does not start.')]
  if (!template)
    return [warning(`It asks for the runner ${name}, which your settings do not have: it does not start.`)]
  return [
    plain(`It runs under your runner ${name}: ${template.argv.join(' ')}`),
    plain('What that limits is not known here.'),
    ...(template.env === 'process' ? [plain('Its variables are those of the runner too.')] : []),
  ]
}

function isWhole(folder: string): boolean {
  return /^~\/*$|^\/(?:home|Users|root)\/?[^/]*\/?$/.test(folder)
}

/** Folders where programs keep keys and logins. */
function hasKeys(folder: string): boolean {
  return /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|netrc|password-store|mozilla|config)(?:\/|$)/.test(
    folder,
  )
}

/** The whole folder of the project. */
function isProject(folder: string): boolean {
  return /^\.\/*$/.test(folder)
}

function unlimitedLines(runner: Exclude<Runner, { kind: 'template' }>): readonly RunnerLine[] {
  if (runner.kind === 'bwrap')
    return [plain('bwrap limits neither memory nor processors nor the number of processes.')]
  const missing = unlimitedBy(runner)
  return missing.length === 0 ? [] : [plain(`Nothing limits its ${missing.join(', its ')}.`)]
}

function unlimitedBy({ memory, cpus, pids }: ContainerRunner): readonly string[] {
  return [
    ...(memory === undefined ? ['memory'] : []),
    ...(cpus === undefined ? ['use of processors'] : []),
    ...(pids === undefined ? ['number of processes'] : []),
  ]
}

function plain(text: string): RunnerLine {
  return { text, isWarning: false }
}

function warning(text: string): RunnerLine {
  return { text, isWarning: true }
}
