"""Model names in LiteLLM's form, which are prefixed with the provider."""

from __future__ import annotations

__all__ = ["model_name"]

_PROVIDERS = frozenset(
    {"anthropic", "azure", "azure_ai", "bedrock", "cerebras", "cohere", "databricks", "deepseek"}
    | {"fireworks_ai", "gemini", "github", "groq", "hosted_vllm", "huggingface", "litellm_proxy"}
    | {"lm_studio", "mistral", "moonshot", "nvidia_nim", "ollama", "ollama_chat", "openai"}
    | {"openrouter", "perplexity", "replicate", "sagemaker", "text-completion-openai"}
    | {"together_ai", "vertex_ai", "vllm", "watsonx", "xai"}
)


def model_name(written: str | None) -> str | None:
    """The model name without the provider: ``gpt-5`` for ``openai/gpt-5``.

    Programs that access the same model through different providers then agree on its name.
    """
    if not written:
        return None
    provider, _, name = written.partition("/")
    return name if name and provider in _PROVIDERS else written
