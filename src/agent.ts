export { createAgent } from './agent/create-agent.ts'
export type {
  Agent,
  AgentLimits,
  AgentModel,
  AgentOptions,
  AgentStore,
  LanguageModelObject,
  ModelPrice,
  OfferedDefinitions,
  Prompt,
  PromptPart,
  Turn,
} from './agent/agent-options.ts'
export type {
  AgentEvent,
  AgentEventBody,
  CallOutcome,
  LimitName,
  TurnFinished,
  TurnOutcome,
  Usage,
} from './agent/agent-events.ts'
