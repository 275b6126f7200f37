import { annotationRule } from './ann/ann-001.ts'
import { guardRule } from './grd/grd-001.ts'
import { overrideRule } from './inj/inj-001.ts'
import { roleRule } from './inj/inj-002.ts'
import { pseudoTagRule } from './inj/inj-003.ts'
import { concealRule } from './inj/inj-004.ts'
import { preconditionRule } from './inj/inj-005.ts'
import { mandatoryRule } from './inj/inj-006.ts'
import { preferenceRule } from './inj/inj-007.ts'
import { consentRule } from './inj/inj-008.ts'
import { urgencyRule } from './inj/inj-009.ts'
import { fakeErrorRule } from './inj/inj-010.ts'
import { fakeTurnRule } from './inj/inj-011.ts'
import { memoryRule } from './inj/inj-012.ts'
import { codeTamperRule } from './inj/inj-013.ts'
import { addressedDataRule } from './inj/inj-014.ts'
import { meddlingRule } from './inj/inj-015.ts'
import { remoteProgramRule } from './inj/inj-016.ts'
import { steeringRule } from './inj/inj-017.ts'
import { encodedRule } from './obf/obf-001.ts'
import { opaqueRule } from './obf/obf-002.ts'
import type { Rule } from './rule.ts'
import { schemaBombRule } from './sch/sch-001.ts'
import { headerRule } from './sch/sch-002.ts'
import { secretFileRule } from './sec/sec-001.ts'
import { secretVariableRule } from './sec/sec-002.ts'
import { contextGrabRule } from './sec/sec-003.ts'
import { exfilParameterRule } from './sec/sec-004.ts'
import { outOfScopeRule } from './sec/sec-005.ts'
import { sinkRule } from './sec/sec-006.ts'
import { contactRule } from './sec/sec-007.ts'
import { embeddedSecretRule, secretInResultRule } from './sec/sec-008.ts'
import { phishingRule } from './sec/sec-009.ts'
import { tagBlockRule } from './uni/uni-001.ts'
import { bidiRule } from './uni/uni-002.ts'
import { zeroWidthRule } from './uni/uni-003.ts'
import { selectorRule } from './uni/uni-004.ts'
import { controlRule } from './uni/uni-005.ts'
import { lookAlikeRule } from './uni/uni-006.ts'
import { offScreenRule } from './uni/uni-007.ts'

/** Every rule, by family. */
export const rules: readonly Rule[] = [
  overrideRule,
  roleRule,
  pseudoTagRule,
  concealRule,
  preconditionRule,
  mandatoryRule,
  preferenceRule,
  consentRule,
  urgencyRule,
  fakeErrorRule,
  fakeTurnRule,
  memoryRule,
  codeTamperRule,
  addressedDataRule,
  meddlingRule,
  remoteProgramRule,
  steeringRule,
  secretFileRule,
  secretVariableRule,
  contextGrabRule,
  exfilParameterRule,
  outOfScopeRule,
  sinkRule,
  contactRule,
  embeddedSecretRule,
  phishingRule,
  secretInResultRule,
  tagBlockRule,
  bidiRule,
  zeroWidthRule,
  selectorRule,
  controlRule,
  lookAlikeRule,
  offScreenRule,
  encodedRule,
  opaqueRule,
  annotationRule,
  schemaBombRule,
  headerRule,
  guardRule,
]
