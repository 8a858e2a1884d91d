"""Images at addresses as https:// and s3://, which fsspec fetches."""
import importlib
import re
from typing import Any

from srcextract.errors import InputError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]+://")
_SECRETS = re.compile(r"(?i)(?<=://)[^/@\s]*@|([?&][^=&\s]*(?:sig|key|token|credential|password)[^=&\s]*=)[^&\s]*")
# Packages whose exceptions tell of a network, beside OSError.
_OF_NETWORK = "aiohttp", "aiobotocore", "botocore", "fsspec", "requests"


def is_address(image: Any) -> bool:
    """Whether it is the address of a file that is elsewhere, as ``https://...``."""
    return isinstance(image, str) and _ADDRESS.match(image) is not None


def shown(address: str) -> str:
    """The address for messages: without passwords and keys."""
    return _SECRETS.sub(r"\1", address)


def is_of_network(error: BaseException) -> bool:
    """Whether a package for networks raised the error, or fsspec for want of ranges."""
    return type(error).__module__.split(".")[0] in _OF_NETWORK or "range requests" in str(error)


def fetch(image: Any, name: str, path: str) -> None:
    """Writes the contents of an address, or of what fsspec.open() gives, to a path of this machine."""
    try:
        system, place = importlib.import_module("fsspec").url_to_fs(image) if isinstance(image, str) else (image.fs, image.path)
        system.get_file(place, path)
    except ImportError as error:
        raise ModuleNotFoundError(f"{name}: a package that fetches it is not installed ({error}): pip install fsspec aiohttp s3fs "
                                  "(aiohttp for https://, s3fs for s3://)", name=error.name) from error
    except MemoryError:
        raise
    except Exception as error:
        raise InputError(f"{name}: {reason(error, name)}") from error


def reason(error: Exception, name: str) -> str:
    """Why a file elsewhere cannot be read, and what to try."""
    status = getattr(error, "status", None)
    text = shown(str(error)) or type(error).__name__
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return "the server has no such file; check the address"
    if isinstance(error, PermissionError) or status in (401, 403) or "Credentials" in type(error).__name__:
        return f"the server does not let you read it ({text}); " + (
            "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket give fsspec.open(address, anon=True)"
            if "s3://" in name or "s3" in type(error).__module__ else
            "give fsspec.open(address, headers={'Authorization': ...}), with what the server asks for")
    if "Protocol not known" in text:
        return f"{text}; fsspec knows http, https, s3, gs, file and others. The path of a file on this machine has no ://"
    if "range requests" in text or "seek" in text:
        return "the server sends whole files only, and a part was asked for; give the address itself, which is read whole"
    if isinstance(error, TimeoutError):
        return f"the server took too long ({text}); try again, or fetch it to a file first"
    return f"the connection broke, or the server failed ({text}); try again, or fetch it to a file first"
