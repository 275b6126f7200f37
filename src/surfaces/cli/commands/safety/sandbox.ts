import { toRef } from '../../../../index.ts'
import type { Json, Server } from '../../../../index.ts'
import { describeRunner, openTracer, toRunnerEntry } from '../../../../internal.ts'
import type { Observation, Tracer } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { outputOf, setExit, folderOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { parsePairs, toArguments } from '../../arguments/tool-arguments.ts'
import { discoverFor } from '../../discover-servers.ts'
import { EarlyExit, usage } from '../../errors.ts'
import { callOptions, checkName, deadlineOf, redactJson, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { findInScope } from '../../find-server.ts'
import { findTool } from '../offers/find-tool.ts'
import { drawBox, drawObservation } from './draw-sandbox.ts'
import type { BoxFacts } from './draw-sandbox.ts'

export interface SandboxFlags extends WaitFlags {
  readonly observe?: boolean
  readonly call?: string
  readonly write?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** Shows what the box of a server opens and cannot limit; with `--observe`, what it uses and the box for that. */
export async function sandbox(
  cli: Cli,
  flags: SandboxFlags,
  name: string,
  ...words: string[]
): Promise<void> {
  const { observe, call, write } = flags
  if (!observe && (call !== undefined || write)) throw usage('--call and --write need --observe.')
  if (call === undefined && words.length > 0)
    throw usage('Name one server. Arguments of a tool need --call TOOL.')
  if (observe) return observeServer(cli, flags, name, words)
  const output = outputOf(cli, flags)
  const server = findInScope(await discoverFor(cli, flags), flags.scope, name)
  const facts = boxFacts(server)
  output.result({ ...facts }, (canvas) => drawBox(facts, canvas))
  await output.flush()
}

function boxFacts(server: Server): BoxFacts {
  const { name, transport, runner } = server
  if (transport.kind !== 'stdio')
    return {
      name,
      runner: null,
      lines: [{ text: 'It runs elsewhere: only local servers have a box.', isWarning: false }],
    }
  if (!runner)
    return {
      name,
      runner: null,
      lines: [
        { text: 'It runs without a box, with all of your rights.', isWarning: true },
        {
          text: `To find the smallest box for it: ${serverCommand('sandbox', name)} --observe`,
          isWarning: false,
        },
      ],
    }
  return { name, runner: toRunnerEntry(runner), lines: describeRunner(server) }
}

async function observeServer(
  cli: Cli,
  flags: SandboxFlags,
  typed: string,
  words: readonly string[],
): Promise<void> {
  const cwd = folderOf(cli, flags)
  const tracer = await openTracer({ ...cli.platform, cwd })
  if (!tracer) return explainWithoutStrace(cli, flags, typed)
  try {
    // A host of its own: that of a shell has started its servers without strace.
    const { live: _live, ...alone } = cli
    await withHost(
      alone,
      flags,
      async (context) => {
        const { host, output } = context
        const name = await checkName(host, flags, typed)
        const server = findInScope(host.discovery, flags.scope, name)
        refuseUnobservable(server)
        const seen = await run(server, { flags: { ...flags, cwd }, words, context, tracer })
        const observation = masked(seen.observation, context)
        const entry = toRunnerEntry(observation.runner)
        const facts = {
          name,
          tools: seen.tools,
          ...(seen.call && { call: seen.call }),
          ...observation,
          runner: entry,
        }
        const edited = flags.write
          ? await (await import('./write-box.ts')).writeBox(cli, flags, { name, runner: entry }, output)
          : undefined
        if (edited?.exit) setExit(cli, edited.exit)
        output.result({ ...facts, ...edited?.fields }, (canvas) => drawObservation(facts, canvas))
      },
      { mayAsk: true, options: async () => ({ platform: { ...cli.platform, spawn: tracer.spawn } }) },
    )
  } finally {
    await tracer.close()
  }
}

/** What strace of this machine cannot look into. */
function refuseUnobservable({ name, transport, runner }: Server): void {
  if (transport.kind !== 'stdio') throw usage(`"${name}" runs elsewhere: only local servers have a box.`)
  if (runner && runner.kind !== 'bwrap')
    throw usage(
      `"${name}" runs under ${runner.kind === 'template' ? runner.name : runner.kind}, which strace does not see into.`,
      'Take "runner" out of its entry for one observed run.',
    )
}

interface RunContext {
  readonly flags: SandboxFlags & { readonly cwd: string }
  readonly words: readonly string[]
  readonly context: HostContext
  readonly tracer: Tracer
}

interface Run {
  readonly tools: number
  readonly call?: { readonly tool: string; readonly failed: boolean }
  readonly observation: Observation
}

/** Starts the server, lists its tools, calls the one that was named, and stops it. */
async function run(server: Server, { flags, words, context, tracer }: RunContext): Promise<Run> {
  const { host, waitLine, signal } = context
  const { name } = server
  waitLine.show(`${name}: running it under strace`)
  await host.connect(name, { signal: deadlineOf(context) })
  const { items } = await host.list(name, 'tools', callOptions(context))
  const call =
    flags.call === undefined
      ? undefined
      : await callTool({ server: name, tool: flags.call }, words, context, flags)
  // strace writes the last of its output when the server has ended.
  await host.close()
  signal.throwIfAborted()
  return { tools: items.length, ...(call && { call }), observation: await tracer.observe(server) }
}

async function callTool(
  { server, tool: typed }: { readonly server: string; readonly tool: string },
  words: readonly string[],
  context: HostContext,
  flags: SandboxFlags & { readonly cwd: string },
): Promise<{ readonly tool: string; readonly failed: boolean }> {
  const { tool, view } = await findTool(context, flags, { server, tool: typed })
  const args = toArguments(parsePairs(words, flags.cwd), tool.inputSchema)
  context.waitLine.show(`${server}: ${tool.tool}`)
  try {
    const { failed } = await view.call(toRef(server, tool.tool), args, callOptions(context))
    return { tool: tool.tool, failed }
  } catch (error) {
    throw error instanceof Error && error.cause instanceof EarlyExit ? error.cause : error
  }
}

/** A path may contain a secret of the server: it is masked, and not proposed. */
function masked(observation: Observation, { host }: HostContext): Observation {
  const redacted = redactJson(observation as unknown as Json, host) as unknown as Observation // only texts change
  const { runner } = observation
  const isPlain = (folder: string) => host.redact(folder) === folder
  return {
    ...redacted,
    runner: { ...runner, read: runner.read.filter(isPlain), write: runner.write.filter(isPlain) },
  }
}

/** Without strace: how to get it, and what its declaration alone says. */
async function explainWithoutStrace(cli: Cli, flags: SandboxFlags, typed: string): Promise<void> {
  const output = outputOf(cli, flags)
  const server = findInScope(await discoverFor(cli, flags), flags.scope, typed)
  const { lines, ...facts } = boxFacts(server)
  const error = {
    code: 'runner.unavailable',
    message: 'strace is not installed: what a server uses can only be seen with it, on Linux.',
    hint: 'Install it, for example: sudo apt install strace (or: sudo dnf install strace). Without it, begin with a closed box, "runner": "bwrap", and open what its errors name.',
  }
  setExit(cli, 'unavailable')
  if (flags.json) output.result({ ...facts, lines, error }, () => '')
  output.fault(`${error.message}\n${error.hint}`)
  await output.flush()
}
