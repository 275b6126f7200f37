export { createAgent } from './agent/create-agent.ts'
export type {
  Agent,
  AgentLimits,
  AgentModel,
  AgentOptions,
  AgentStore,
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
export { openModel } from './models/open-model.ts'
export type { EndpointModel, ModelOptions } from './models/open-model.ts'
export type { LanguageModelObject } from './models/model-object.ts'
export type { ModelPrice } from './models/model-price.ts'
