import type { FailureCode, Input, Server } from '../../index.ts'
import type { NextStep } from '../api/shared-shapes.ts'
import { quote } from '../terminal/argv.ts'
import { serverCommand } from './server-command.ts'
import { failureOf } from './state-facts.ts'
import type { StateSubject } from './state-facts.ts'

type Action = NextStep['action']

const labels: Readonly<Record<Action, string>> = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  login: 'Log in',
  logout: 'Log out',
  trust: 'Review',
  review: 'Review',
  enable: 'Switch on',
  disable: 'Switch off',
  log: 'Log',
  'answer-input': 'Answer',
  'open-config': 'Show entry',
  'call-again': 'Run again',
  open: 'Open',
}

/** What only a live host can do is an operation of the shell, for the servers of that shell. */
const inShell = (operation: string, name: string) => `plugboard shell, then /mcp ${operation} ${quote(name)}`

/** The verbs of the command line, or of the shell. */
const commands: Readonly<Record<Action, (name: string) => string>> = {
  start: (name) => serverCommand('test', name),
  stop: (name) => inShell('stop', name),
  restart: (name) => inShell('restart', name),
  login: (name) => serverCommand('login', name),
  logout: (name) => serverCommand('logout', name),
  trust: (name) => serverCommand('trust', name),
  review: (name) => serverCommand('review', name),
  enable: (name) => serverCommand('enable', name),
  disable: (name) => serverCommand('disable', name),
  log: (name) => serverCommand('logs', name),
  'answer-input': (name) => serverCommand('test', name),
  'open-config': (name) => serverCommand('why', name),
  'call-again': (name) => serverCommand('tools', name),
  open: (name) => serverCommand('why', name),
}

export function stepFor(action: Action, name: string, label: string = labels[action]): NextStep {
  return { action, label, command: commands[action](name) }
}

/** What cures each kind of failure; the first is the cure, the others help to find it. */
const cures: Readonly<Record<FailureCode, readonly [Action, ...Action[]]>> = {
  values: ['open-config', 'restart'],
  spawn: ['open-config', 'restart'],
  exit: ['restart', 'log'],
  timeout: ['restart', 'log'],
  protocol: ['open-config', 'log'],
  'too-large': ['restart'],
  auth: ['login'],
  forbidden: ['open-config', 'login'],
  session: ['restart'],
  rate: ['restart'],
  upstream: ['restart'],
  tls: ['open-config', 'restart'],
  dns: ['open-config', 'restart'],
  network: ['restart', 'open-config'],
  blocked: ['open-config'],
  busy: ['restart'],
  cancelled: ['restart'],
  closed: ['restart', 'log'],
}

export interface StepSubject extends StateSubject {
  /** Variables that the entry names and that are not set. */
  readonly missing?: readonly string[]
  /** Inputs of the entry that are not answered yet. */
  readonly unanswered?: readonly Pick<Input, 'id'>[]
  readonly transport?: Server['transport']['kind']
}

/** What a person can do about a server in its state; the first step is the cure. */
export function nextSteps(subject: StepSubject): readonly NextStep[] {
  const { name, status } = subject
  switch (status.state) {
    case 'ready':
      return status.away ? [stepFor('restart', name), stepFor('open-config', name)] : running(subject)
    case 'connecting':
      return [stepFor('stop', name), ...logStep(subject)]
    case 'idle':
      return [...inputSteps(subject), stepFor('start', name)]
    case 'untrusted':
      return [stepFor('trust', name)]
    case 'disabled':
      return [stepFor('enable', name)]
    case 'closed':
      return [stepFor('log', name)]
    case 'needs-auth':
      return [stepFor('login', name), stepFor('restart', name)]
    case 'failed':
    case 'waiting':
      return cure(subject)
    default:
      return status satisfies never
  }
}

function running(subject: StepSubject): readonly NextStep[] {
  return [stepFor('restart', subject.name), stepFor('stop', subject.name), ...logStep(subject)]
}

/** Only programs have a log. */
function logStep({ name, transport = 'stdio' }: StepSubject): readonly NextStep[] {
  return transport === 'stdio' ? [stepFor('log', name)] : []
}

function cure(subject: StepSubject): readonly NextStep[] {
  const { name, missing = [] } = subject
  const code = failureOf(subject)?.code ?? 'closed'
  // Only the environment of `serve` has it: the entry shows where it is needed, and the command sets it.
  const set = missing.map((variable) => ({
    ...stepFor('open-config', name, `Show ${variable}`),
    command: `export ${variable}=…, then plugboard serve again`,
  }))
  const usual = cures[code].flatMap((action) =>
    action === 'log' ? logStep(subject) : [stepFor(action, name)],
  )
  // A login can ask for rights that are lacking.
  const login = failureOf(subject)?.lacking ? [stepFor('login', name)] : []
  const steps = [...inputSteps(subject), ...set, ...login, ...usual]
  return steps.filter((step, at) => steps.findIndex(({ action }) => action === step.action) === at)
}

function inputSteps({ name, unanswered = [] }: StepSubject): readonly NextStep[] {
  return unanswered.map(({ id }) => stepFor('answer-input', name, `Set ${id}…`))
}
