// The ways in: an address, a file, or a drop on the page.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { openAddress, openFile } from "../opening";
import { say } from "../say";

export function Opener(): JSX.Element {
  const [address, setAddress] = useState("");
  return (
    <form
      class="opener"
      onSubmit={(event) => {
        event.preventDefault();
        if (address.trim()) openAddress(address);
      }}
    >
      <label for="open-address">{say("open-label")}</label>
      <div class="row">
        <input
          id="open-address"
          type="url"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder={say("open-hint")}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
        <button type="submit">{say("open-go")}</button>
      </div>
      <p class="row file">
        <span class="quiet">{say("open-or")}</span>
        <label class="button">
          {say("open-file")}
          <input
            class="unseen"
            type="file"
            accept=".zip,application/zip"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file) openFile(file);
            }}
          />
        </label>
        <span class="quiet wide-only">{say("open-drop")}</span>
      </p>
    </form>
  );
}

/** The whole page takes a file that is dropped on it. */
export function DropZone(): JSX.Element | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const enter = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!event.relatedTarget) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) openFile(file);
    };
    addEventListener("dragover", enter);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return over ? (
    <div class="drop" aria-hidden="true">
      <p>{say("drop")}</p>
    </div>
  ) : null;
}
