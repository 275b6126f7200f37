import { resolve } from 'node:path'
import { createAgent } from '../../../../agent.ts'
import type { Agent, AgentLimits, TurnFinished } from '../../../../agent.ts'
import type { Host, HostOptions, JsonObject } from '../../../../index.ts'
import { isInteractive, setExit, folderOf } from '../../command-context.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { EarlyExit, exitOfCode, usage } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { parseObject } from '../connections/request.ts'
import { loadOffers, viewOf } from '../offers/find-offers.ts'
import type { ViewFlags } from '../offers/find-offers.ts'
import { missingServers, printProblems, problemsFor, warnMissing } from '../offers/offer-problems.ts'
import { openRun } from './open-run.ts'
import type { OpenedRun } from './open-run.ts'
import { readPrompt, readTextFile } from './read-prompt.ts'
import type { ReadPrompt } from './read-prompt.ts'
import { createRunOutput } from './run-output.ts'
import type { RunOutput } from './run-output.ts'
import type { RunQuestions } from './run-questions.ts'

export interface RunFlags extends ViewFlags, GivenServerFlags {
  readonly model?: string
  readonly system?: string
  /** A file. */
  readonly outputSchema?: string
  /** An id of a conversation; empty for the last one of the folder. */
  readonly continue?: string
  readonly maxSteps?: number
  /** In USD. */
  readonly maxCost?: number
  readonly ephemeral?: boolean
  readonly demo?: boolean
}

/** Lets a model do one task with the tools, and prints what it says. */
export async function run(cli: Cli, typed: RunFlags, ...rest: string[]): Promise<void> {
  const { flags, words } = takeContinue(typed, rest)
  checkFlags(flags)
  const outputSchema = await readSchema(cli, flags)
  const prompt = await readPrompt(cli, words, folderOf(cli, flags))
  const opened = await openRun(cli, flags)
  const task = new RunTask(cli, flags, { prompt, opened, outputSchema })
  try {
    // Without the host of a shell: that one does not ask before tools that write.
    const { live: _live, ...own } = cli
    const { timeout: _timeout, ...hostFlags } = { ...flags, cwd: opened.cwd }
    await withHost(own, hostFlags, (context) => task.start(context), {
      form: 'lines',
      options: (parts) => task.hostOptions(parts),
    })
  } catch (error) {
    // A turn that was cancelled has said so with its last event.
    if (!(error instanceof EarlyExit) || !(await task.hasFinished())) throw error
    setExit(cli, error.exit)
  } finally {
    // Work that a signal ended is not waited for by its guard; here it keeps the last messages.
    await task.hasFinished()
    await opened.close()
  }
}

/** `--continue "Go on"`: what follows is no id, but the prompt. */
function takeContinue(flags: RunFlags, words: readonly string[]) {
  const { continue: id = '' } = flags
  if (id === '' || /^[\da-f-]{1,36}$/i.test(id)) return { flags, words }
  return { flags: { ...flags, continue: '' }, words: [id, ...words] }
}

function checkFlags({ demo, stdio, url, model, outputSchema, scope, ...flags }: RunFlags): void {
  if (scope !== undefined) throw usage('A run uses all servers in force here; leave out --scope.')
  if (!demo) return
  if (stdio !== undefined || url !== undefined || model !== undefined || flags.continue !== undefined)
    throw usage(
      '--demo has a server and a model of its own; leave out --stdio, --url, --model and --continue.',
    )
  if (outputSchema !== undefined) throw usage('The demo model writes no JSON; leave out --output-schema.')
}

async function readSchema(cli: Cli, flags: RunFlags): Promise<JsonObject | undefined> {
  const { outputSchema: file } = flags
  if (file === undefined) return undefined
  const text = await readTextFile(resolve(folderOf(cli, flags), file), file)
  return parseObject(text, `The contents of ${file}`, schemaExample)
}

const schemaExample = `For example: '{"type": "object", "properties": {"name": {"type": "string"}}}'.`

interface RunParts {
  readonly prompt: ReadPrompt
  readonly opened: OpenedRun
  readonly outputSchema: JsonObject | undefined
}

/** One turn, from the options of its host to the exit code. */
class RunTask {
  readonly #cli: Cli
  readonly #flags: RunFlags
  readonly #parts: RunParts
  readonly #cancelled = new AbortController()
  #questions: RunQuestions | undefined
  #shown: RunOutput | undefined
  #host: Host | undefined
  #agent: Agent | undefined
  #work: Promise<void> | undefined

  constructor(cli: Cli, flags: RunFlags, parts: RunParts) {
    this.#cli = cli
    this.#flags = flags
    this.#parts = parts
  }

  /** Without a terminal there is nothing to ask in: calls that need an approval are refused. */
  async hostOptions(parts: Pick<HostContext, 'output' | 'waitLine'>): Promise<Partial<HostOptions>> {
    const { options, agentOptions, stored } = this.#parts.opened
    const audit = { surface: 'run' }
    if (!isInteractive(this.#cli)) return { audit, ...options }
    const { openRunQuestions } = await import('./run-questions.ts')
    this.#questions = await openRunQuestions({
      ...parts,
      cli: this.#cli,
      model: agentOptions.model,
      stored,
      host: () => this.#host,
      conversation: () => (stored ? this.#agent?.conversation.id : undefined),
      on: (event) => this.#shown?.onQuestion(event),
      onUsed: (usage) => this.#agent?.count(usage),
      onCancel: () => this.#cancelled.abort(),
    })
    return { audit, ...options, ...this.#questions.callbacks }
  }

  start(context: HostContext): Promise<void> {
    this.#work = this.#run(context)
    return this.#work
  }

  /** Whether the turn has finished, however it ended; waits until then. */
  async hasFinished(): Promise<boolean> {
    if (!this.#work) return false
    return this.#work.then(
      () => true,
      () => false,
    )
  }

  async #run(context: HostContext): Promise<void> {
    const { host, output, waitLine } = context
    const { prompt, opened, outputSchema } = this.#parts
    const flags = this.#flags
    this.#host = host
    host.on((event) => {
      if (event.type === 'call.warned' || event.type === 'audit.failed') output.warn(event.message)
    })
    for (const note of opened.notes) output.note(note)
    for (const word of prompt.unknown) output.note(`"@${word}" is no file here; it is sent as text.`)
    opened.redactWith((text) => host.redact(text))
    const view = await viewOf(context, opened)
    await loadOffers(context, flags, { view })
    warnMissing(missingServers(host, flags), output)
    printProblems(problemsFor(view, host), output)
    const form = flags.json ? 'events' : outputSchema ? 'document' : 'text'
    const { addressOfPage } = await import('../../../server/call-link.ts')
    const page = await addressOfPage(discoverOptions(this.#cli, flags))
    const shown = createRunOutput({ output, waitLine, form, page })
    this.#shown = shown
    const agent = await createAgent({
      ...opened.agentOptions,
      host,
      limits: limitsOf(flags),
      ...(flags.system !== undefined && { system: flags.system }),
      ...(outputSchema && { outputSchema }),
      on: (event) => shown.onEvent(event),
    })
    this.#agent = agent
    const logins = opened.stored && this.#questions?.followLogins(host)
    try {
      await this.#turn(agent, context, shown)
    } finally {
      logins?.[Symbol.dispose]()
      await this.#questions?.close()
      await agent.close()
    }
  }

  async #turn(agent: Agent, { output, signal }: HostContext, shown: RunOutput): Promise<void> {
    const { prompt, opened } = this.#parts
    // A reader that is gone (`| head`) ends the turn; what was said is kept.
    const stop = AbortSignal.any([signal, output.closed, this.#cancelled.signal])
    const finished = await agent.send(prompt.prompt, { signal: stop }).finished
    if (output.closed.aborted) return
    shown.onFinished(finished)
    setExit(this.#cli, exitOfTurn(finished))
    if (opened.isKept) output.note(`Go on: plugboard run --continue ${agent.conversation.id.slice(0, 8)} "…"`)
    await output.flush()
  }
}

function limitsOf({ maxSteps, maxCost, timeout }: RunFlags): Partial<AgentLimits> {
  return {
    ...(maxSteps !== undefined && { steps: maxSteps }),
    ...(maxCost !== undefined && { cost: maxCost }),
    ...(timeout !== undefined && { timeMs: timeout }),
  }
}

const exits = { done: 'ok', limit: 'limit', refused: 'denied', cancelled: 'cancelled' } as const

function exitOfTurn({ outcome, code }: TurnFinished): Exit {
  if (outcome !== 'failed') return exits[outcome]
  return code === undefined ? 'failed' : exitOfCode(code)
}
