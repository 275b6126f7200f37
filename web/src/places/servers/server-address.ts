import type { NextStep, ServerRow } from '../../../../src/client.ts'
import { addresses } from '../../state/addresses.ts'

/** The views of one server, in the order of their tabs. */
export const tabs = ['now', 'tools', 'log', 'declared', 'calls'] as const
export type Tab = (typeof tabs)[number]

/** What is being done to a server; it takes the place of the tabs until it is done or left. */
const tasks = ['trust', 'login', 'inputs', 'enable', 'disable', 'remove'] as const
export type Task = (typeof tasks)[number]

export function taskAddress(name: string, task: Task): string {
  return `${addresses.server(name)}?do=${task}`
}

/** Where a step leads; none if it is done at once. */
export function stepAddress(
  { name, declared }: Pick<ServerRow, 'name' | 'declared'>,
  step: NextStep,
): string | undefined {
  switch (step.action) {
    case 'trust':
    case 'login':
    case 'enable':
    case 'disable':
      return taskAddress(name, step.action)
    case 'answer-input':
      return taskAddress(name, 'inputs')
    case 'log':
      return addresses.server(name, 'log')
    case 'open-config':
      return step.to ?? addresses.configFile(declared.file, declared.line)
    case 'call-again':
    case 'open':
    case 'review':
      return step.to
    case 'start':
    case 'stop':
    case 'restart':
    case 'logout':
      return undefined
  }
}

export function readTab(value: string | undefined): Tab {
  return tabs.find((each) => each === value) ?? 'now'
}

export function readTask(value: string | undefined): Task | undefined {
  return tasks.find((each) => each === value)
}
