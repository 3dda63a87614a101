/** A line to write something in, with the button that sends it. */

export interface LineProps {
  words: { label: string; placeholder: string; send: string };
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  /** Whether something that was sent is still under way. */
  isBusy?: boolean;
  /** Whether it searches. */
  isSearch?: boolean;
}

export function Line({ words, text, onText, onSend, isBusy = false, isSearch = false }: LineProps) {
  return (
    <form
      class="line"
      role={isSearch ? 'search' : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <input
        class="field"
        aria-label={words.label}
        placeholder={words.placeholder}
        dir="auto"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <button type="submit" class="main" disabled={isBusy || text.trim() === ''}>
        {words.send}
      </button>
    </form>
  );
}
