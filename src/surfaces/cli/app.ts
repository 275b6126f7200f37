import { resolve } from 'node:path'
import {
  AliasNotFoundError,
  FlagNotFoundError,
  UnexpectedPositionalError,
  buildApplication,
  text_en,
} from '@stricli/core'
import type { Application, ApplicationText } from '@stricli/core'
import { nearestNames } from '../../internal.ts'
import { buildRouteMap } from './arguments/define-command.ts'
import { inShell } from '../terminal/shell-words.ts'
import { shortPath } from '../terminal/terminal-output.ts'
import { withSameFlags } from './arguments/origin-flags.ts'
import type { OriginFlags } from './arguments/origin-flags.ts'
import type { Cli } from './command-context.ts'
import { chatCommand } from './commands/agent/chat.command.ts'
import { runCommand } from './commands/agent/run.command.ts'
import { tasksCommand } from './commands/offers/tasks.command.ts'
import { answerCommand, questionsCommand } from './commands/agent/questions.command.ts'
import { completionCommand } from './commands/completion.command.ts'
import { helpCommand } from './commands/help.command.ts'
import { versionCommand } from './commands/version.command.ts'
import { conversationsCommand } from './commands/agent/conversations.command.ts'
import { auditCommand } from './commands/audit/audit.command.ts'
import { storeCommand } from './commands/agent/store.command.ts'
import { switchCommand } from './commands/agent/switch.command.ts'
import { cacheCommand } from './commands/connections/cache.command.ts'
import { doctorCommand } from './commands/connections/doctor.command.ts'
import { loginCommand } from './commands/connections/login.command.ts'
import { logoutCommand } from './commands/connections/logout.command.ts'
import { logsCommand } from './commands/connections/logs.command.ts'
import { requestCommand } from './commands/connections/request.command.ts'
import { statusCommand } from './commands/connections/status.command.ts'
import { testCommand } from './commands/connections/test.command.ts'
import { whoamiCommand } from './commands/connections/whoami.command.ts'
import { modelsCommand } from './commands/agent/models.command.ts'
import { agentsCommand } from './commands/offers/agents.command.ts'
import { callCommand } from './commands/offers/call.command.ts'
import { generateCommand } from './commands/offers/generate.command.ts'
import { promptCommand } from './commands/offers/prompt.command.ts'
import { skillsCommand } from './commands/offers/skills.command.ts'
import { promptsCommand } from './commands/offers/prompts.command.ts'
import { readCommand } from './commands/offers/read.command.ts'
import { resourcesCommand } from './commands/offers/resources.command.ts'
import { searchCommand } from './commands/offers/search.command.ts'
import { toolCommand } from './commands/offers/tool.command.ts'
import { toolsCommand } from './commands/offers/tools.command.ts'
import { presetsCommand } from './commands/presets.command.ts'
import { lockCommand } from './commands/safety/lock.command.ts'
import { sandboxCommand } from './commands/safety/sandbox.command.ts'
import { reviewCommand } from './commands/safety/review.command.ts'
import { scanCommand } from './commands/safety/scan.command.ts'
import { addCommand } from './commands/servers/add.command.ts'
import { adoptCommand, releaseCommand } from './commands/servers/adopt.command.ts'
import { disableCommand, enableCommand } from './commands/servers/enable-disable.command.ts'
import { findCommand } from './commands/servers/find.command.ts'
import { exportCommand, importCommand } from './commands/servers/import-export.command.ts'
import { listCommand } from './commands/servers/list.command.ts'
import { removeCommand } from './commands/servers/remove.command.ts'
import { sourcesCommand } from './commands/servers/sources.command.ts'
import { trustCommand, untrustCommand } from './commands/servers/trust.command.ts'
import { whyCommand } from './commands/servers/why.command.ts'
import { gatewayCommand } from './commands/gateway.command.ts'
import { keysCommand } from './commands/keys.command.ts'
import { serveCommand } from './commands/serve.command.ts'
import { openCommand } from './commands/open.command.ts'
import { shellCommand } from './commands/shell.command.ts'
import { drawFault, exitOf, faultOf } from './errors.ts'
import type { Fault } from './errors.ts'
import { exitCodes } from './exit-codes.ts'

/** Every command, in the order in which help lists them. */
export const commands = {
  list: listCommand,
  why: whyCommand,
  sources: sourcesCommand,
  find: findCommand,
  add: addCommand,
  remove: removeCommand,
  enable: enableCommand,
  disable: disableCommand,
  import: importCommand,
  export: exportCommand,
  adopt: adoptCommand,
  release: releaseCommand,
  trust: trustCommand,
  untrust: untrustCommand,
  tools: toolsCommand,
  tool: toolCommand,
  search: searchCommand,
  call: callCommand,
  tasks: tasksCommand,
  resources: resourcesCommand,
  read: readCommand,
  prompts: promptsCommand,
  prompt: promptCommand,
  skills: skillsCommand,
  generate: generateCommand,
  agents: agentsCommand,
  models: modelsCommand,
  presets: presetsCommand,
  test: testCommand,
  doctor: doctorCommand,
  scan: scanCommand,
  lock: lockCommand,
  sandbox: sandboxCommand,
  review: reviewCommand,
  request: requestCommand,
  login: loginCommand,
  logout: logoutCommand,
  whoami: whoamiCommand,
  logs: logsCommand,
  status: statusCommand,
  questions: questionsCommand,
  answer: answerCommand,
  shell: shellCommand,
  chat: chatCommand,
  run: runCommand,
  serve: serveCommand,
  open: openCommand,
  gateway: gatewayCommand,
  keys: keysCommand,
  conversations: conversationsCommand,
  switch: switchCommand,
  store: storeCommand,
  audit: auditCommand,
  cache: cacheCommand,
  completion: completionCommand,
  help: helpCommand,
  version: versionCommand,
}

/** Suggestions are at most one typo away; `isSimilar` allows two in long words. */
const suggestionDistance = {
  threshold: 2,
  weights: { insertion: 1, deletion: 1, substitution: 1, transposition: 1 },
}

interface AppOptions {
  /** The help command named in usage errors. */
  readonly help?: string
  /** The commands below the command of this line, if the line names none of them. */
  readonly subcommands?: readonly string[]
  readonly onFault?: (fault: Fault) => void
  /** Proposed commands are those of the shell. */
  readonly isShell?: boolean
  /** The origin flags of this command line, repeated in proposed commands. */
  readonly origin?: OriginFlags
  /** Where the command was started, and the person's home directory, for shown paths. */
  readonly cwd?: string | undefined
  readonly home?: string | undefined
}

export function createApp(version: string, options: AppOptions = {}): Application<Cli> {
  const root = buildRouteMap<keyof typeof commands, Cli>({
    routes: commands,
    aliases: { rm: 'remove', ls: 'list', reauth: 'login', unauth: 'logout' },
    docs: {
      brief: 'Every MCP server you have configured, found, explained and ready for an agent',
      fullDescription:
        'Plugboard finds the MCP servers declared for this folder, explains which declaration is in force and why, and edits ' +
        'them in place. It connects to them, calls their tools and shows their logs. Servers of a project do not start ' +
        'until you trust them.',
    },
  })
  return buildApplication<Cli>(root, {
    name: 'plugboard',
    versionInfo: { currentVersion: version },
    scanner: {
      caseStyle: 'allow-kebab-for-camel',
      allowArgumentEscapeSequence: true,
      distanceOptions: suggestionDistance,
    },
    documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
    localization: { text: errorTexts(options) },
    determineExitCode: (error) => exitCodes[exitOf(error)].code,
  })
}

/** Error texts; usage errors end with the matching help command. */
function errorTexts({
  help = 'plugboard --help',
  subcommands = [],
  onFault,
  origin = {},
  isShell = false,
  cwd = '.',
  home,
}: AppOptions): ApplicationText {
  const say = ({ hint, ...known }: Fault): string => {
    // A usage error only points at help, so its flags need not be repeated.
    const same = (text: string) => {
      if (isShell) return inShell(text)
      return known.code === 'usage' ? text : withSameFlags(text, origin)
    }
    const fault = { ...known, ...(hint !== undefined && { hint: same(hint) }) }
    onFault?.(fault)
    return drawFault({ ...fault, message: withShortPath(fault, origin, { cwd, home }) })
  }
  const sayUsage = (message: string) => say({ code: 'usage', message, hint: `See: ${help}` })
  return {
    ...text_en,
    noCommandRegisteredForInput: ({ input, corrections, ansiColor }) => {
      if (input.startsWith('-'))
        return sayUsage(
          `Not a flag for every command: ${input}. Put it after the command: plugboard COMMAND ${input}`,
        )
      if (subcommands.length > 0) return sayUsage(unknownSubcommand(input, subcommands))
      const near = corrections.filter((name) => isSimilar(input, name.replaceAll('`', '')))
      return sayUsage(text_en.noCommandRegisteredForInput({ input, corrections: near, ansiColor }))
    },
    exceptionWhileParsingArguments: (error, color) => {
      // The default of these commands takes no words, so the first one was meant as a command.
      if (error instanceof UnexpectedPositionalError && error.expectedCount === 0 && subcommands.length > 0)
        return sayUsage(unknownSubcommand(error.input, subcommands))
      const text = text_en.exceptionWhileParsingArguments(withSimilarFlags(error), color)
      if (error instanceof AliasNotFoundError && !help.startsWith('plugboard add '))
        return sayUsage(`${text}. Put a name that begins with "-" after --, as the last word`)
      const isArgument = error instanceof FlagNotFoundError && help.startsWith('plugboard call ')
      return sayUsage(isArgument ? `${text}. Arguments of a tool are written as ${error.input}=value` : text)
    },
    exceptionWhileRunningCommand: (error) => say(faultOf(error)),
    commandErrorResult: (error) => say(faultOf(error)),
  }
}

function unknownSubcommand(input: string, names: readonly string[]): string {
  const [near] = nearestNames(input, names)
  const proposal = near === undefined ? `. There are: ${names.join(', ')}` : `, did you mean \`${near}\`?`
  return `No command registered for \`${input}\`${proposal}`
}

/** The message with the file as lists write it; with a preset the text of that system is kept. */
function withShortPath(
  { code, message, data }: Fault,
  { preset }: OriginFlags,
  { cwd, home }: { readonly cwd: string; readonly home: string | undefined },
): string {
  if (code !== 'config.exists' || preset !== undefined || !data || !('file' in data)) return message
  const file = String(data.file)
  return message.replace(file, () => shortPath(file, { cwd: resolve(cwd), home }))
}

/** Minimum length for two typos: in a shorter word, two edits could produce almost any other word. */
const longWord = 6

/** Whether a suggestion (at most two edits away) is close enough to show. */
function isSimilar(word: string, candidate: string): boolean {
  return word.length >= longWord || isOneTypo(word, candidate)
}

/** One letter wrong, missing or extra, or two adjacent letters swapped. */
function isOneTypo(word: string, candidate: string): boolean {
  const shorter = Math.min(word.length, candidate.length)
  let start = 0
  while (start < shorter && word[start] === candidate[start]) start++
  let end = 0
  while (end < shorter - start && word.at(-1 - end) === candidate.at(-1 - end)) end++
  const [typed, right] = [
    word.slice(start, word.length - end),
    candidate.slice(start, candidate.length - end),
  ]
  if (typed.length <= 1 && right.length <= 1) return true
  return typed.length === 2 && right === `${typed[1]}${typed[0]}`
}

/** An unknown-flag error that suggests only similar flags. */
function withSimilarFlags(error: unknown): unknown {
  if (!(error instanceof FlagNotFoundError) || error.aliasName !== undefined) return error
  const near = error.corrections.filter((name) => isSimilar(error.input, name))
  return new FlagNotFoundError(error.input, near)
}
