import {
  BookOpen,
  Clock3,
  FileText,
  GraduationCap,
  Inbox,
  Lock,
  MessageSquare,
  Plug,
  ScrollText,
  Server,
  SlidersHorizontal,
  Wrench,
} from 'lucide-preact'
import type { LucideIcon } from 'lucide-preact'
import { addresses } from '../state/addresses.ts'
import { clients, counts, questions, servers } from '../state/page-state.ts'

export interface Place {
  readonly name: string
  readonly to: string
  /** The letter after `g`. */
  readonly letter: string
  readonly icon: LucideIcon
  /** Places of one group stand together. */
  readonly group: number
  readonly isOnPhone?: true
  /** Reads signals: what draws it follows them. */
  readonly count?: () => number
}

/** The places of the page, in the order of the rail. */
export const places: readonly Place[] = [
  {
    name: 'Servers',
    to: addresses.servers,
    letter: 's',
    icon: Server,
    group: 1,
    isOnPhone: true,
    count: () => servers.value.length,
  },
  {
    name: 'Chat',
    to: addresses.chat,
    letter: 'c',
    icon: MessageSquare,
    group: 1,
    isOnPhone: true,
    count: () => counts.value.conversations,
  },
  {
    name: 'Tools',
    to: addresses.tools,
    letter: 't',
    icon: Wrench,
    group: 1,
    isOnPhone: true,
    count: () => counts.value.tools,
  },
  {
    name: 'Waiting',
    to: addresses.waiting,
    letter: 'w',
    icon: Inbox,
    group: 1,
    isOnPhone: true,
    count: () => questions.value.length,
  },
  {
    name: 'Resources',
    to: addresses.resources,
    letter: 'r',
    icon: FileText,
    group: 2,
    count: () => counts.value.resources,
  },
  {
    name: 'Prompts',
    to: addresses.prompts,
    letter: 'p',
    icon: BookOpen,
    group: 2,
    count: () => counts.value.prompts,
  },
  { name: 'Skills', to: addresses.skills, letter: 'i', icon: GraduationCap, group: 2 },
  { name: 'Timeline', to: addresses.timeline, letter: 'l', icon: Clock3, group: 2, isOnPhone: true },
  {
    name: 'Clients',
    to: addresses.clients,
    letter: 'n',
    icon: Plug,
    group: 2,
    count: () => clients.value.length,
  },
  {
    name: 'Config',
    to: addresses.config,
    letter: 'd',
    icon: SlidersHorizontal,
    group: 3,
    count: () => counts.value.problems,
  },
  { name: 'Lock', to: addresses.lock, letter: 'k', icon: Lock, group: 3, count: () => counts.value.held },
  { name: 'Audit', to: addresses.audit, letter: 'a', icon: ScrollText, group: 3 },
]

/** Whether an address belongs to a place; a call belongs to the timeline. */
export function isAt(place: Place, path: string): boolean {
  const own = path.startsWith('/calls/') ? addresses.timeline : path
  return own === place.to || own.startsWith(`${place.to}/`)
}
