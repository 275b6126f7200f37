import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as agent from '../src/agent.ts'
import * as auth from '../src/auth.ts'
import * as config from '../src/config.ts'
import * as index from '../src/index.ts'
import * as internal from '../src/internal.ts'
import * as store from '../src/store.ts'

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'function') return typeof value
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function'
}

/** Every export with its kind; types have no value, so they are read from the export lists. */
function surfaceOf(exports: object, file: string): readonly string[] {
  const text = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
  const types = [...text.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.replace(/^.* as /s, '').trim())
      .filter(Boolean),
  )
  const values = Object.entries(exports).map(([name, value]) => `${kindOf(value)} ${name}`)
  return [...values, ...types.map((name) => `type ${name}`)].sort()
}

describe('public API: exports', () => {
  test('plugboard', () => {
    expect(surfaceOf(index, 'index.ts')).toMatchInlineSnapshot(`
      [
        "class FileError",
        "class HostError",
        "class HttpError",
        "class ListenError",
        "class Secret",
        "class SpawnError",
        "function blockTypeOf",
        "function clearServerCache",
        "function compileSchema",
        "function createHost",
        "function discover",
        "function explain",
        "function followServerLog",
        "function fromRef",
        "function isBlock",
        "function isHostError",
        "function listAgents",
        "function nodePlatform",
        "function readRunningHosts",
        "function readServerLog",
        "function structuredTextNotShown",
        "function toListing",
        "function toRef",
        "list presetNames",
        "list sourceIds",
        "object diagnosticCodes",
        "object errorCodes",
        "string version",
        "type Account",
        "type ActiveListener",
        "type AddressEntry",
        "type Agent",
        "type AgentOptions",
        "type AgentOrigin",
        "type AllowingRule",
        "type Annotations",
        "type AnyHostError",
        "type AppendOptions",
        "type Approval",
        "type ApprovalQuestion",
        "type Approvals",
        "type Approve",
        "type ArgumentProblem",
        "type AudioBlock",
        "type Auth",
        "type Authority",
        "type Block",
        "type BlockType",
        "type Browser",
        "type CallArguments",
        "type CallIdentity",
        "type CallOptions",
        "type CallResult",
        "type CallingRules",
        "type Channel",
        "type ChannelEntry",
        "type Child",
        "type ClientEntry",
        "type ClientInfo",
        "type Clock",
        "type Compilation",
        "type CompiledSchema",
        "type Completion",
        "type CompletionRequest",
        "type ConditionalRule",
        "type ConnectingRules",
        "type Decision",
        "type DeclaredEntry",
        "type Descendant",
        "type Diagnostic",
        "type DiagnosticCode",
        "type DiscoverOptions",
        "type Discovery",
        "type DropReason",
        "type Duplex",
        "type Effect",
        "type Elicit",
        "type Elicitation",
        "type ElicitationAnswer",
        "type EntryOptions",
        "type Env",
        "type Era",
        "type ErrorCode",
        "type ErrorData",
        "type Exit",
        "type Explanation",
        "type Failure",
        "type FailureCode",
        "type FileProblem",
        "type FileStat",
        "type FileText",
        "type Files",
        "type FindCredential",
        "type FindRoots",
        "type FollowLogOptions",
        "type Framing",
        "type Grant",
        "type Greeting",
        "type HiddenTool",
        "type Host",
        "type HostEvent",
        "type HostLimits",
        "type HostOptions",
        "type Http",
        "type HttpClient",
        "type HttpExchange",
        "type HttpHeaders",
        "type HttpListener",
        "type HttpOptions",
        "type HttpRequest",
        "type ImageBlock",
        "type InProcessEntry",
        "type InProcessServer",
        "type InProcessTransport",
        "type Input",
        "type Json",
        "type JsonObject",
        "type Keychain",
        "type KnownBlock",
        "type LayerKind",
        "type LeftBehind",
        "type ListDialect",
        "type ListName",
        "type ListedServer",
        "type Listen",
        "type ListenOptions",
        "type Listing",
        "type Lock",
        "type LogLine",
        "type Memory",
        "type NamingRules",
        "type NamingScheme",
        "type NativeTool",
        "type Notification",
        "type OfferedPrompt",
        "type OfferedResource",
        "type OpenChannel",
        "type Origin",
        "type Os",
        "type OtherBlock",
        "type OtherFile",
        "type OutgoingMessage",
        "type Parallel",
        "type Place",
        "type Platform",
        "type Predicate",
        "type PresetName",
        "type Preview",
        "type PrivateDirectoryOptions",
        "type ProcessMark",
        "type Processes",
        "type ProgramEntry",
        "type Progress",
        "type PromptArgument",
        "type PromptCommand",
        "type PromptMessage",
        "type PromptMessages",
        "type Provider",
        "type QuarantinedDefinition",
        "type ReadLogOptions",
        "type ReadOnlyGuard",
        "type ReadOnlyPolicy",
        "type ReadyOptions",
        "type Reason",
        "type Receiver",
        "type ReloadOptions",
        "type RenderRules",
        "type ReplaceOptions",
        "type Request",
        "type RequestId",
        "type RequestOptions",
        "type ResolvedValue",
        "type ResolvedValues",
        "type ResourceBlock",
        "type ResourceLinkBlock",
        "type ResourcePart",
        "type ResourceUpdate",
        "type Response",
        "type RpcFault",
        "type Rule",
        "type RuleOptions",
        "type Run",
        "type RunOptions",
        "type RunResult",
        "type RunningHost",
        "type RunningServer",
        "type Sample",
        "type ScopeOptions",
        "type SendOptions",
        "type SentRequest",
        "type Server",
        "type ServerEntry",
        "type ServerInstructions",
        "type ServerList",
        "type ServerStatus",
        "type Severity",
        "type ShadowedServer",
        "type ShownResult",
        "type SourceId",
        "type Spawn",
        "type SpawnOptions",
        "type Status",
        "type Step",
        "type TaggedProcess",
        "type TextBlock",
        "type Timeouts",
        "type Tls",
        "type Toggles",
        "type Tool",
        "type ToolDefinition",
        "type ToolExplanation",
        "type ToolFilter",
        "type ToolOptions",
        "type ToolsOptions",
        "type Transport",
        "type TrustRequest",
        "type TrustState",
        "type UnfinishedStart",
        "type Value",
        "type Values",
        "type View",
        "type VisibilityDecision",
        "type WaitOptions",
      ]
    `)
  })

  test('plugboard/config', () => {
    expect(surfaceOf(config, 'config.ts')).toMatchInlineSnapshot(`
      [
        "class CommandCache",
        "function addDeclaration",
        "function describeEntry",
        "function exportServers",
        "function importServers",
        "function readJson",
        "function readOffers",
        "function removeDeclaration",
        "function requestTrust",
        "function resolveServer",
        "function rewriteJson",
        "function setSourceEnabled",
        "function surveySources",
        "function switchDeclaration",
        "function trustServer",
        "function untrustServer",
        "function watchConfig",
        "function writeChanges",
        "type AnswerInput",
        "type Answers",
        "type Change",
        "type CommandLimits",
        "type EditOptions",
        "type EditResult",
        "type EditedFile",
        "type EnvFileSeal",
        "type FileChange",
        "type LostField",
        "type NewLaunch",
        "type NewServer",
        "type NewTransport",
        "type Offer",
        "type OmittedValue",
        "type RenamedServer",
        "type ResolveServerOptions",
        "type ResolvedAuth",
        "type ResolvedServer",
        "type ResolvedTransport",
        "type RewriteOptions",
        "type Scope",
        "type SecretVariable",
        "type ShownProgram",
        "type ShownServer",
        "type SkippedServer",
        "type SurveyedFile",
        "type SurveyedSource",
        "type Transfer",
        "type TransferOptions",
        "type TrustQuestion",
        "type TrustRequest",
        "type WatchConfigOptions",
        "type WatchedConfig",
      ]
    `)
  })

  test('plugboard/auth', () => {
    expect(surfaceOf(auth, 'auth.ts')).toMatchInlineSnapshot(`
      [
        "function forgetAccount",
        "function listAccounts",
        "function login",
        "function logout",
        "type Account",
        "type AccountOptions",
        "type ChosenAccount",
        "type LoginFlow",
        "type LoginKey",
        "type LoginLimits",
        "type LoginOptions",
        "type LoginQuestions",
        "type LoginStep",
      ]
    `)
  })

  test('plugboard/store', () => {
    expect(surfaceOf(store, 'store.ts')).toMatchInlineSnapshot(`
      [
        "function createMemoryConversations",
        "function findConversation",
        "function notKept",
        "function openOwnStore",
        "function openStore",
        "function resumeConversation",
        "type CallHistory",
        "type ConnectOptions",
        "type Conversation",
        "type Conversations",
        "type ListConversations",
        "type Mask",
        "type MemoryRows",
        "type Message",
        "type NewConversation",
        "type NewQuestion",
        "type OnRemoved",
        "type OpenStoreOptions",
        "type OwnStore",
        "type OwnStoreOptions",
        "type PrunedRows",
        "type Question",
        "type QuestionKind",
        "type Questions",
        "type SqliteDriver",
        "type Store",
        "type StoreOptions",
        "type StoreStatus",
        "type StoredCall",
        "type StoredMemory",
        "type StoredMessage",
        "type StoredTable",
        "type Upkeep",
      ]
    `)
  })

  test('agent.ts', () => {
    expect(surfaceOf(agent, 'agent.ts')).toMatchInlineSnapshot(`
      [
        "function createAgent",
        "function createQuestionDesk",
        "function createSample",
        "function followLogins",
        "function openModel",
        "type Agent",
        "type AgentEvent",
        "type AgentEventBody",
        "type AgentLimits",
        "type AgentModel",
        "type AgentOptions",
        "type AgentStore",
        "type ApproveSample",
        "type CallOutcome",
        "type EndpointModel",
        "type LanguageModelObject",
        "type LimitName",
        "type LocalPrompts",
        "type LoginRequest",
        "type ModelOptions",
        "type ModelPrice",
        "type OfferedDefinitions",
        "type Prompt",
        "type PromptPart",
        "type QuestionDesk",
        "type QuestionDeskOptions",
        "type QuestionEvent",
        "type SampleBudget",
        "type SampleGrant",
        "type SampleMessage",
        "type SampleModel",
        "type SampleOptions",
        "type SampleRequest",
        "type TokenPrices",
        "type Turn",
        "type TurnFinished",
        "type TurnOutcome",
        "type Usage",
      ]
    `)
  })

  test('internal.ts (for our own surfaces, not an entry of package.json)', () => {
    expect(surfaceOf(internal, 'internal.ts')).toMatchInlineSnapshot(`
      [
        "function believePlatform",
        "function checkArguments",
        "function createVolatileMemory",
        "function declaresTrusted",
        "function describePredicate",
        "function findServer",
        "function foldValues",
        "function generateModule",
        "function generateProgram",
        "function hasHash",
        "function hashOf",
        "function hintToAllow",
        "function imagesDirectory",
        "function initialAnswer",
        "function isForModels",
        "function isGenerated",
        "function isList",
        "function isListed",
        "function isLoader",
        "function isLoginSecret",
        "function isObject",
        "function isOfType",
        "function isResting",
        "function itemSchemaAt",
        "function listAgentFiles",
        "function listOf",
        "function loadPatternMatcher",
        "function loadPreset",
        "function loadPresetPage",
        "function matchGlob",
        "function nearestNames",
        "function problemWithName",
        "function propertyOf",
        "function readRegistryServer",
        "function readSettings",
        "function redactArguments",
        "function redactCommand",
        "function redactText",
        "function redactWords",
        "function replaceRef",
        "function requiredOf",
        "function resolveRef",
        "function searchRegistry",
        "function shownFailure",
        "function shownTexts",
        "function splitCommand",
        "function stateDirectory",
        "function toExample",
        "function toListedDiagnostics",
        "function toSignature",
        "string startTagVariable",
        "type GeneratedFunction",
        "type ListedServer",
        "type Preset",
        "type PresetPage",
        "type RegistryEntry",
        "type ShownTexts",
        "type ToolDefinition",
      ]
    `)
  })

  test('package.json has exactly these entries', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './config': { types: './dist/config.d.ts', default: './dist/config.js' },
      './auth': { types: './dist/auth.d.ts', default: './dist/auth.js' },
      './store': { types: './dist/store.d.ts', default: './dist/store.js' },
      './agent': { types: './dist/agent.d.ts', default: './dist/agent.js' },
      './ai-sdk': { types: './dist/adapters/ai-sdk.d.ts', default: './dist/adapters/ai-sdk.js' },
      './openai': { types: './dist/adapters/openai.d.ts', default: './dist/adapters/openai.js' },
      './anthropic': { types: './dist/adapters/anthropic.d.ts', default: './dist/adapters/anthropic.js' },
      './langchain': { types: './dist/adapters/langchain.d.ts', default: './dist/adapters/langchain.js' },
      './google': { types: './dist/adapters/google.d.ts', default: './dist/adapters/google.js' },
      './openai-agents': {
        types: './dist/adapters/openai-agents.d.ts',
        default: './dist/adapters/openai-agents.js',
      },
      './mastra': { types: './dist/adapters/mastra.d.ts', default: './dist/adapters/mastra.js' },
      './boocode': { types: './dist/adapters/boocode.d.ts', default: './dist/adapters/boocode.js' },
      './dispatch': { types: './dist/adapters/dispatch.d.ts', default: './dist/adapters/dispatch.js' },
      './omp': { types: './dist/adapters/omp.d.ts', default: './dist/adapters/omp.js' },
      './testing': { types: './dist/testing.d.ts', default: './dist/testing.js' },
      './program': './dist/cli/program.cjs',
      './package.json': './package.json',
    })
  })

  test('export lists are explicit: no "export *" and no default', () => {
    for (const file of ['index.ts', 'config.ts', 'auth.ts', 'store.ts', 'testing.ts', 'internal.ts']) {
      expect(readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')).not.toMatch(
        /export \*|default/,
      )
    }
  })
})

describe('public API: modules loaded by an import', () => {
  const forbidden = ['http', 'https', 'http2', 'net', 'tls', 'child_process', 'undici', 'dgram', 'dns']
  const dist = (file: string) => fileURLToPath(new URL(`../dist/${file}`, import.meta.url))

  /** The built-in modules that a script loads in a fresh process, without those loaded at start. */
  function loadedBy(script: string): readonly string[] {
    const report = 'require("node:fs").writeSync(2, JSON.stringify(process.moduleLoadList))'
    const run = (text: string) => {
      const source = `import("node:module").then(async ({ createRequire }) => {
        const require = createRequire("/"); ${text}; ${report} })`
      // Write the answer to stderr without a stream: a pipe on stdout would load the socket modules.
      const { stderr, status } = spawnSync(process.execPath, ['-e', source], {
        encoding: 'utf8',
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      expect(status).toBe(0)
      return JSON.parse(stderr) as readonly string[]
    }
    const before = new Set(run(''))
    return run(script).filter((name) => !before.has(name))
  }

  const unwanted = (loaded: readonly string[]) =>
    loaded.filter((name) => {
      const module = name.replace(/^(?:NativeModule|Internal Binding) /, '')
      return forbidden.some((each) => module === each || module.startsWith(`internal/deps/${each}`))
    })

  test('the check detects network and child process modules', () => {
    expect(unwanted(loadedBy('require("node:http")'))).toEqual(
      expect.arrayContaining(['NativeModule http', 'NativeModule net']),
    )
    expect(unwanted(loadedBy('require("node:child_process")'))).toContain('NativeModule child_process')
  })

  test.each(['index.js', 'config.js', 'store.js', 'adapters/dispatch.js'])(
    '%s loads no network or child process module',
    (file) => {
      const loaded = loadedBy(`await import(${JSON.stringify(dist(file))})`)
      expect(loaded.length).toBeGreaterThan(0)
      expect(unwanted(loaded)).toEqual([])
    },
  )

  test('discover loads no network or child process module', () => {
    const script = `const { discover } = await import(${JSON.stringify(dist('index.js'))})
      await discover({ platform: { home: "/nowhere", cwd: "/nowhere/shop", env: {} } })`
    expect(unwanted(loadedBy(script))).toEqual([])
  })

  test('a host without servers loads no network or child process module', () => {
    const script = `const { createHost } = await import(${JSON.stringify(dist('index.js'))})
      const platform = { home: "/nowhere", cwd: "/nowhere/shop", env: {} }
      const host = await createHost({ platform, sources: [] })
      await host.ready()
      if (host.tools().length > 0) throw new Error("there is nothing")`
    expect(unwanted(loadedBy(script))).toEqual([])
  })
})
