import { auditCheck, auditFacts } from './audit-routes.ts'
import { conversationRow, conversationServers, modelRow, switchRow } from './chat-routes.ts'
import { configFile, sourceRow } from './config-routes.ts'
import { definitionChange, definitionDifference, heldFacts, lockFileFacts } from './lock-routes.ts'
import { questionFacts } from './question-routes.ts'
import {
  anything,
  described,
  either,
  flag,
  list,
  number,
  object,
  oneOf,
  ref,
  text,
  whole,
} from './schema-builder.ts'
import type { Fields, Schema } from './schema-builder.ts'
import { loginProgress, serverDetail, serverRow, stateFacts, trustFacts } from './server-routes.ts'
import { fault, fileDifference, nextStep, place, problem, shownFinding } from './shared-shapes.ts'
import { argumentProblem, callDetail, callRow, resultFacts, toolDetail, toolRow } from './tool-routes.ts'

const common: Fields = {
  name: text,
  title: text,
  'description?': text,
  isRequired: flag,
  'isNullable?': oneOf(true),
  'initial?': anything,
}
const options = list(object({ value: anything, title: text }))
const field = (kind: string, fields: Fields) => object({ ...common, kind: oneOf(kind), ...fields })
const range: Fields = { 'min?': number, 'max?': number }

/** Shapes that several routes have, by their names in the OpenAPI document. */
export const namedShapes: Readonly<Record<string, Schema>> = {
  ServerRow: serverRow,
  ServerDetail: serverDetail,
  StateFacts: stateFacts,
  TrustFacts: trustFacts,
  LoginProgress: loginProgress,
  ToolRow: toolRow,
  ToolDetail: toolDetail,
  ArgumentProblem: argumentProblem,
  CallRow: callRow,
  CallDetail: callDetail,
  ResultFacts: resultFacts,
  QuestionFacts: questionFacts,
  ConversationRow: conversationRow,
  ConversationServers: conversationServers,
  SwitchRow: switchRow,
  ModelRow: modelRow,
  ConfigFile: configFile,
  SourceRow: sourceRow,
  NextStep: nextStep,
  Place: place,
  Problem: problem,
  FileDifference: fileDifference,
  ShownFinding: shownFinding,
  HeldFacts: heldFacts,
  LockFileFacts: lockFileFacts,
  DefinitionDifference: definitionDifference,
  DefinitionChange: definitionChange,
  AuditFacts: auditFacts,
  AuditCheck: auditCheck,
  Fault: fault,
}

/** The schemas that others refer to by name. `Field` is the type of form-field.ts. */
export const definitions: Readonly<Record<string, Schema>> = {
  Field: described(
    'A field of a form; those of objects, lists and choices nest.',
    either(
      field('text', { ...range, 'pattern?': text, 'format?': text, 'isLong?': oneOf(true) }),
      field('number', { isInteger: flag, ...range }),
      field('yes-no', {}),
      field('choice', { options }),
      field('choices', { options, 'min?': whole, 'max?': whole }),
      field('object', { fields: list(ref('Field')) }),
      field('list', { item: ref('Field'), 'min?': whole, 'max?': whole }),
      field('map', { value: ref('Field') }),
      field('one-of', { variants: list(ref('Field')) }),
      field('constant', { value: anything }),
      field('json', { signature: text, 'example?': anything, 'reason?': text }),
    ),
  ),
}
