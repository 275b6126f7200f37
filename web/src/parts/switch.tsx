export interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly command?: string
  readonly isDisabled?: boolean
}

export function Switch({ label, isOn, onChange, command, isDisabled = false }: SwitchProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      class="switch"
      aria-label={label}
      title={command && `Same as: ${command}`}
      checked={isOn}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
