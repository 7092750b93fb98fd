// Search from the file system: browsers start no worker there, so the worker's script runs in a hidden frame instead.
// Served over HTTP, nothing here does anything.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.worker = this;
      // Within the frame `postMessage` means what it means in a worker: to whoever started it.
      const answer = "self.postMessage = data => frameElement.worker.receive(data)";
      this.frame.srcdoc = `<script>${answer}</script><script src="${new URL(url, document.baseURI)}"></script>`;
      this.frame.addEventListener("load", () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach(data => this.postMessage(data));
      });
      document.documentElement.append(this.frame);
    }

    // Messages are copies that arrive later, never within the call that sends them: senders count on both.
    receive(sent) {
      const message = new MessageEvent("message", { data: structuredClone(sent) });
      setTimeout(() => {
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
    }

    postMessage(sent) {
      if (this.waiting) {
        this.waiting.push(sent);
        return;
      }
      const message = new MessageEvent("message", { data: structuredClone(sent) });
      setTimeout(() => this.frame.contentWindow?.dispatchEvent(message));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
