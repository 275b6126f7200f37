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
export type { ModelPrice, TokenPrices } from './models/model-price.ts'
export { followLogins } from './agent/follow-logins.ts'
export { createQuestionDesk } from './agent/question-desk.ts'
export type {
  LocalPrompts,
  LoginRequest,
  PromptOptions,
  QuestionDesk,
  QuestionDeskOptions,
  QuestionEvent,
} from './agent/question-desk.ts'
export { createSample } from './agent/sampling.ts'
export type {
  ApproveSample,
  SampleBudget,
  SampleGrant,
  SampleMessage,
  SampleModel,
  SampleOptions,
  SampleRequest,
} from './agent/sampling.ts'
