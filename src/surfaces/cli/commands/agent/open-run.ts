import type { AgentModel, AgentOptions } from '../../../../agent.ts'
import type { HostOptions } from '../../../../index.ts'
import type { Conversation, OwnStore, Questions } from '../../../../store.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import type { RunFlags } from './run.ts'
import { folderOf, worldOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'

/** What a run needs before its host: the store, the conversation that goes on, its folder and the model. */
export interface OpenedRun {
  /** The folder of the conversation: its servers and its trust are used. */
  readonly cwd: string
  readonly agent?: string
  readonly options: Partial<HostOptions>
  readonly agentOptions: Pick<AgentOptions, 'agent' | 'cwd' | 'conversation' | 'store'> & {
    readonly model: AgentModel
  }
  /** Whether the conversation can go on later. */
  readonly isKept: boolean
  /** Where questions wait for an answer of another terminal. */
  readonly stored?: Questions
  /** What a person should know, one sentence each. */
  readonly notes: readonly string[]
  /** Masks the secrets of the host in what is kept. */
  redactWith(redact: (text: string) => string): void
  close(): Promise<void>
}

export async function openRun(cli: Cli, flags: RunFlags): Promise<OpenedRun> {
  if (flags.demo) return openDemoRun(cli, flags)
  const mask: Mask = { redact: (text) => text }
  if (flags.continue !== undefined) return openResumed(cli, flags, flags.continue, mask)
  const here = folderOf(cli, flags)
  // The model first: without one, nothing is created.
  const chosen = await chooseModel(cli, flags, { cwd: here })
  return toOpened(flags, {
    here,
    mask,
    chosen,
    ...(flags.ephemeral ? noStore : await openStore(cli, flags, mask)),
  })
}

async function openResumed(cli: Cli, flags: RunFlags, id: string, mask: Mask): Promise<OpenedRun> {
  if (flags.ephemeral) throw usage('A conversation that goes on is kept; leave out --ephemeral.')
  const here = folderOf(cli, flags)
  const own = await openStore(cli, flags, mask)
  try {
    const { resumeConversation } = await import('../../../../store.ts')
    const resumed = await resumeConversation(own, { id, cwd: here })
    const chosen = await chooseModel(cli, flags, { cwd: resumed.cwd, before: resumed.model })
    return toOpened(flags, { here, mask, chosen, resumed, ...own })
  } catch (error) {
    await own.store?.close()
    throw error
  }
}

/** What masks the texts that are kept; the host knows the secrets, and is opened later. */
interface Mask {
  redact: (text: string) => string
}

const noStore: OwnStore = { problems: [] }

interface RunParts extends OwnStore {
  readonly here: string
  readonly mask: Mask
  readonly chosen: Awaited<ReturnType<typeof chooseModel>>
  readonly resumed?: Conversation
}

function toOpened(flags: RunFlags, { here, mask, chosen, store, problems, resumed }: RunParts): OpenedRun {
  const { model, problem } = chosen
  const cwd = resumed?.cwd ?? here
  const agent = flags.agent ?? resumed?.agent
  const named = agent === undefined ? {} : { agent }
  return {
    cwd,
    ...named,
    options: { asks: 'writes', ...(store && { memory: store.memory }) },
    agentOptions: {
      model,
      cwd,
      ...named,
      ...(store && { store }),
      ...(resumed && { conversation: resumed.id }),
    },
    isKept: store !== undefined,
    ...(store && { stored: store.questions }),
    notes: [
      ...problems.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`)),
      ...(cwd === here ? [] : [`This conversation belongs to ${cwd}: its servers are used.`]),
      ...(problem === undefined ? [] : [problem]),
    ],
    redactWith: (redact) => (mask.redact = redact),
    close: async () => store?.close(),
  }
}

/** Keeps nothing: the demo is no conversation to go on with. */
async function openDemoRun(cli: Cli, flags: RunFlags): Promise<OpenedRun> {
  const { demoNotice, openDemo } = await import('../../../demo/demo.ts')
  const { model, host } = openDemo()
  const { agent } = flags
  const cwd = folderOf(cli, flags)
  const named = agent === undefined ? {} : { agent }
  return {
    cwd,
    ...named,
    options: { ...host, asks: 'writes' },
    agentOptions: { model, cwd, ...named },
    isKept: false,
    notes: [demoNotice],
    redactWith: () => undefined,
    close: async () => undefined,
  }
}

async function openStore(cli: Cli, flags: RunFlags, mask: Mask): Promise<OwnStore> {
  const { openOwnStore } = await import('../../../../store.ts')
  return openOwnStore({ ...worldOf(cli, flags), redact: (text) => mask.redact(text) })
}

async function chooseModel(
  cli: Cli,
  flags: RunFlags,
  conversation: { readonly cwd: string; readonly before?: string | undefined },
) {
  const { openConversationModel } = await import('../../../../models.ts')
  const { model: given, agent } = flags
  return openConversationModel({ ...conversation, discover: discoverOptions(cli, flags), given, agent })
}
