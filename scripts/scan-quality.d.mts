import type { Discovery, Server } from '../src/model/server.ts'
import type { Finding, Severity } from '../src/model/finding.ts'
import type { JsonObject } from '../src/model/json.ts'

/** A hostile thing and its harmless twin. */
export interface Attack {
  readonly id: string
  readonly rule: string
  readonly style: 'plain' | 'hidden' | 'reworded'
  readonly batch: number
  readonly kind: string
  readonly atLeast: Severity
  readonly language?: string
}

/** The functions of the scanner that are judged. */
export interface Scanner {
  isAtLeast(one: Severity, other: Severity): boolean
  scanDefinition(kind: 'tool', definition: JsonObject, server: string): readonly Finding[]
  scanOffers(offers: never): readonly Finding[]
  scanText(kind: never, text: string, about: never): readonly Finding[]
  compareForDrift(accepted: JsonObject, current: JsonObject, subject: never): readonly Finding[]
  scanTogether(offers: never): readonly Finding[]
  scanServers(servers: readonly Server[]): readonly Finding[]
  discover(options: object): Promise<Discovery>
}

export interface JudgedPair extends Omit<Attack, 'kind' | 'atLeast'> {
  /** The hostile half reached its severity. */
  readonly found: boolean
  /** The harmless half has no finding that would be shown as a problem. */
  readonly clear: boolean
  /** The rule that it was written for found it. */
  readonly own: boolean
  readonly hostile: readonly Finding[]
  readonly harmless: readonly Finding[]
}

export interface RealTool {
  readonly server: string
  readonly tool: JsonObject
}

export function readAttacks(root: string): readonly Attack[]
export function readRealTools(root: string): readonly RealTool[]
export function judge(attacks: readonly Attack[], scanner: Scanner): Promise<readonly JudgedPair[]>
export function judgeReal(
  tools: readonly RealTool[],
  scanner: Pick<Scanner, 'isAtLeast' | 'scanDefinition'>,
): {
  readonly tools: number
  readonly high: number
  readonly medium: number
  readonly findings: readonly Finding[]
}

export interface HoldoutSet {
  readonly round: number
  readonly list: readonly unknown[]
}

export interface Holdout {
  readonly hostile: readonly HoldoutSet[]
  readonly benign: readonly HoldoutSet[]
}

export interface JudgedHoldout {
  readonly pairs: readonly {
    readonly round: number
    readonly id: string
    readonly found: boolean
    readonly high: boolean
    readonly clear: boolean
  }[]
  readonly honest: readonly {
    readonly round: number
    readonly id: string
    readonly high: boolean
    readonly medium: boolean
  }[]
}

export function readLanguages(root: string): ReturnType<typeof readHoldout>
export function readHoldout(root: string): Holdout

export function judgeHoldout(holdout: Holdout, scanner: Scanner): Promise<JudgedHoldout>
