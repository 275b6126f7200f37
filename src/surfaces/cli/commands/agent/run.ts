import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createAgent } from '../../../../agent.ts'
import type { AgentLimits, TurnFinished } from '../../../../agent.ts'
import type { JsonObject } from '../../../../index.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
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
import { readPrompt } from './read-prompt.ts'
import type { ReadPrompt } from './read-prompt.ts'
import { createRunOutput } from './run-output.ts'

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
export async function run(cli: Cli, flags: RunFlags, ...words: string[]): Promise<void> {
  checkFlags(flags)
  const outputSchema = flags.outputSchema === undefined ? undefined : readSchema(flags.outputSchema)
  const prompt = await readPrompt(cli, words, flags.cwd)
  const opened = await openRun(flags)
  let ended: Promise<boolean> | undefined
  try {
    // Without the host of a shell: that one does not ask before tools that write.
    const { live: _live, ...own } = cli
    const { timeout: _timeout, ...hostFlags } = { ...flags, cwd: opened.cwd }
    await withHost(
      own,
      hostFlags,
      (context) => (ended = work({ cli, flags, prompt, opened, outputSchema, context })),
      { mayAsk: true, form: 'lines', options: opened.options },
    )
  } catch (error) {
    // A turn that was cancelled has said so with its last event.
    if (!(error instanceof EarlyExit) || !(await ended?.catch(() => false))) throw error
    setExit(cli, error.exit)
  } finally {
    // Work that a signal ended is not waited for by its guard; here it keeps the last messages.
    await ended?.catch(() => undefined)
    await opened.close()
  }
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

function readSchema(file: string): JsonObject {
  return parseObject(readFileSync(resolve(file), 'utf8'), `The schema in ${file}`)
}

interface RunWork {
  readonly cli: Cli
  readonly flags: RunFlags
  readonly prompt: ReadPrompt
  readonly opened: OpenedRun
  readonly outputSchema: JsonObject | undefined
  readonly context: HostContext
}

/** Returns whether the turn has finished, however it ended. */
async function work({ cli, flags, prompt, opened, outputSchema, context }: RunWork): Promise<boolean> {
  const { host, output, waitLine, signal } = context
  for (const note of opened.notes) output.note(note)
  for (const word of prompt.notFiles) output.note(`"@${word}" is no file here; it is sent as text.`)
  opened.redactWith((text) => host.redact(text))
  const view = await viewOf(context, opened)
  await loadOffers(context, flags, { view })
  warnMissing(missingServers(host, flags), output)
  printProblems(problemsFor(view, host), output)
  const form = flags.json ? 'events' : outputSchema ? 'document' : 'text'
  const shown = createRunOutput({ output, waitLine, form })
  await using agent = await createAgent({
    ...opened.agentOptions,
    host,
    limits: limitsOf(flags),
    ...(flags.system !== undefined && { system: flags.system }),
    ...(outputSchema && { outputSchema }),
    on: (event) => shown.onEvent(event),
  })
  // A reader that is gone (`| head`) ends the turn; what was said is kept.
  const stop = AbortSignal.any([signal, output.closed])
  const finished = await agent.send(prompt.parts, { signal: stop }).finished
  if (!output.closed.aborted) {
    shown.onFinished(finished)
    setExit(cli, exitOfTurn(finished))
    if (opened.isKept) output.note(`Go on: plugboard run --continue ${agent.conversation.id.slice(0, 8)} "…"`)
  }
  await output.flush()
  return true
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
